// Page by page through a listing, claiming no more than the service reports: without a total there is no last page.
import type { ReactNode } from 'react';
import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronLeftPipe, IconChevronRight, IconChevronRightPipe } from '@tabler/icons-react';
import { formatCount } from '#/lib/format.ts';
import { PlainSelect } from '#/ui/form/plain-select.tsx';
import { PAGE_SIZES } from '#/pages/devices/view/fleet-view.ts';
import type { PageSize } from '#/pages/devices/view/fleet-view.ts';
import { lastPage, rangeText } from './page-range.ts';
import { useState } from 'react';
import classes from './pager.module.css';

interface PagerProps {
  page: number;
  /** Rows a page. */
  rows: number;
  shown: number;
  total: number | undefined;
  more: boolean;
  /** The rows on the screen are still those of another page. */
  busy: boolean;
  onPage: (page: number) => void;
  onRows: (rows: PageSize | 'all') => void;
  /** All rows can be had in one scroll. */
  hasAll?: boolean;
  /** Beside the range of rows. */
  note?: ReactNode;
}

export function Pager({ onPage, onRows, busy, hasAll = false, note, ...range }: PagerProps) {
  const { page, rows, more } = range;
  const last = lastPage(range);
  const atStart = page === 1 ? 'This is the first page' : '';
  const atEnd = !more ? 'This is the last page' : '';
  return (
    <div className={classes.pager}>
      <span className="tabular dim" role="status" aria-label="Devices shown">
        {busy ? 'Loading…' : rangeText(range)}
      </span>
      {note}
      <nav aria-label="Pagination" className={classes.steps}>
        {last !== undefined && (
          <Step name="First page" off={atStart} onClick={() => onPage(1)}>
            <IconChevronLeftPipe size={16} stroke={1.6} aria-hidden />
          </Step>
        )}
        <Step name="Previous page" off={atStart} onClick={() => onPage(page - 1)}>
          <IconChevronLeft size={16} stroke={1.6} aria-hidden />
        </Step>
        <PageNumber page={page} last={last} onPage={onPage} />
        <Step name="Next page" off={atEnd} onClick={() => onPage(page + 1)}>
          <IconChevronRight size={16} stroke={1.6} aria-hidden />
        </Step>
        {last !== undefined && (
          <Step name="Last page" off={atEnd} onClick={() => onPage(last)}>
            <IconChevronRightPipe size={16} stroke={1.6} aria-hidden />
          </Step>
        )}
      </nav>
      <RowsSelect value={rows} hasAll={hasAll} onRows={onRows} />
    </div>
  );
}

/** Instead of the pager, where all rows are in one scroll. `fleet`: how many devices there are at all. */
export function AllRows({
  shown,
  fleet,
  note,
  onRows,
}: {
  shown: number;
  fleet: number;
  note: ReactNode;
  onRows: (rows: PageSize | 'all') => void;
}) {
  return (
    <div className={classes.pager}>
      <span className="tabular dim" role="status" aria-label="Devices shown">
        {shown === fleet ? formatCount(fleet) : `${formatCount(shown)} of ${formatCount(fleet)}`}
        {fleet === 1 ? ' device' : ' devices'}
      </span>
      {note}
      <span className={classes.steps}>
        <RowsSelect value="all" hasAll onRows={onRows} />
      </span>
    </div>
  );
}

function RowsSelect({
  value,
  hasAll,
  onRows,
}: {
  value: number | 'all';
  hasAll: boolean;
  onRows: (rows: PageSize | 'all') => void;
}) {
  return (
    <PlainSelect
      size="xs"
      aria-label="Rows a page"
      value={String(value)}
      onChange={({ currentTarget }) => onRows(PAGE_SIZES.find((size) => String(size) === currentTarget.value) ?? 'all')}
      data={[
        ...(hasAll ? [{ value: 'all', label: 'All rows' }] : []),
        ...PAGE_SIZES.map((size) => ({ value: String(size), label: `${formatCount(size)} rows` })),
      ]}
    />
  );
}

/** `off`: why it does nothing now. It keeps the focus then, so that Enter can be pressed on through the pages. */
function Step({
  name,
  off,
  onClick,
  children,
}: {
  name: string;
  off: string;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <ActionIcon
      variant="default"
      size="md"
      aria-label={name}
      title={off || name}
      aria-disabled={off !== ''}
      {...(off ? { 'data-disabled': true } : { onClick })}
    >
      {children}
    </ActionIcon>
  );
}

/** The page, to read and to type another. */
function PageNumber({
  page,
  last,
  onPage,
}: {
  page: number;
  last: number | undefined;
  onPage: (page: number) => void;
}) {
  const [typed, setTyped] = useDraft(String(page));
  return (
    <form
      className={classes.number}
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = /^\d{1,9}$/.test(typed.trim()) ? Math.min(Math.max(1, Number(typed)), last ?? Infinity) : page;
        setTyped(String(wanted));
        if (wanted !== page) onPage(wanted);
      }}
    >
      Page
      <input
        aria-label="Page"
        inputMode="numeric"
        size={Math.max(2, typed.length)}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => setTyped(String(page))}
      />
      {last !== undefined && <>of {formatCount(last)}</>}
    </form>
  );
}

/** The text of a field that is applied when it is complete; it follows its value when something else changes that. */
function useDraft(value: string): [typed: string, setTyped: (text: string) => void] {
  const [typed, setTyped] = useState(value);
  const [previous, setPrevious] = useState(value);
  if (value !== previous) {
    setPrevious(value);
    setTyped(value);
  }
  return [typed, setTyped];
}
