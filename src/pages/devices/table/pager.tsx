// Pages through a listing. Without a total from the service there is no last page.
import { useState, type ComponentProps, type ReactNode } from 'react';
import { NativeSelect } from '@mantine/core';
import { IconChevronLeft, IconChevronLeftPipe, IconChevronRight, IconChevronRightPipe } from '@tabler/icons-react';
import { formatCount } from '#/lib/format.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { PAGE_SIZES, type PageSize } from '#/pages/devices/view/fleet-view.ts';
import { lastPage, rangeText, type PageRange } from './page-range.ts';
import classes from './pager.module.css';

interface RowsSelectProps {
  /** All rows can be had in one scroll. */
  hasAll: boolean;
  onRows: (rows: PageSize | 'all') => void;
}

interface PagerProps extends RowsSelectProps, PageRange {
  /** The rows of another page are shown while this one loads. */
  busy: boolean;
  onPage: (page: number) => void;
  /** Beside the range of rows. */
  note: ReactNode;
}

export function Pager({ onPage, onRows, busy, hasAll, note, ...range }: PagerProps) {
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
          <Step icon={IconChevronLeftPipe} label="First page" off={atStart} onClick={() => onPage(1)} />
        )}
        <Step icon={IconChevronLeft} label="Previous page" off={atStart} onClick={() => onPage(page - 1)} />
        <PageNumber page={page} last={last} onPage={onPage} />
        <Step icon={IconChevronRight} label="Next page" off={atEnd} onClick={() => onPage(page + 1)} />
        {last !== undefined && (
          <Step icon={IconChevronRightPipe} label="Last page" off={atEnd} onClick={() => onPage(last)} />
        )}
      </nav>
      <RowsSelect value={rows} hasAll={hasAll} onRows={onRows} />
    </div>
  );
}

/** Replaces the pager if all rows are in one scroll. `fleet`: the number of devices. */
export function AllRows(props: Pick<PagerProps, 'shown' | 'note' | 'onRows'> & { fleet: number }) {
  const { shown, fleet, note, onRows } = props;
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

function RowsSelect({ value, hasAll, onRows }: RowsSelectProps & { value: number | 'all' }) {
  return (
    <NativeSelect
      size="xs"
      aria-label="Rows per page"
      value={String(value)}
      onChange={({ currentTarget }) => onRows(PAGE_SIZES.find((size) => String(size) === currentTarget.value) ?? 'all')}
      data={[
        ...(hasAll ? [{ value: 'all', label: 'All rows' }] : []),
        ...PAGE_SIZES.map((size) => ({ value: String(size), label: `${formatCount(size)} rows` })),
      ]}
    />
  );
}

/** `off`: why it does nothing now. It keeps the focus, so that Enter can be pressed again and again. */
function Step({
  off,
  ...button
}: Pick<ComponentProps<typeof IconButton>, 'icon' | 'label' | 'onClick'> & { off: string }) {
  return <IconButton variant="default" size="md" title={off || button.label} off={off !== ''} {...button} />;
}

/** The page, to read and to type another. */
function PageNumber({ page, last, onPage }: Pick<PagerProps, 'page' | 'onPage'> & { last: number | undefined }) {
  const [typed, setTyped] = useState(String(page));
  const [shown, setShown] = useState(page);
  if (page !== shown) {
    setShown(page);
    setTyped(String(page));
  }
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
