// The result of each item, failures first.
import { useMemo, useState, type ReactNode } from 'react';
import { Button, NativeSelect } from '@mantine/core';
import {
  OUTCOME_WORDS,
  countResults,
  countsText,
  outcomesOf,
  resultsCsv,
  sortResults,
  type BulkOutcome,
  type ResultRow,
} from './bulk-results.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';
import { formatCount } from '#/lib/format.ts';
import { focusOnMount } from '#/ui/dialog/use-focus-back.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import type { Column } from '#/ui/table/table.tsx';
import classes from './bulk-dialog.module.css';

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const MARKS: Record<BulkOutcome, string> = {
  done: 'Succeeded',
  failed: 'Failed',
  unknown: 'Unknown',
  stopped: 'Cancelled',
  skipped: 'Finished',
};

const columnsOf = (noun: string): Column<ResultRow>[] => [
  {
    header: capitalised(noun),
    width: '36%',
    cell: ({ id, name }) => <span title={id}>{name}</span>,
  },
  {
    header: 'Result',
    width: '110px',
    cell: ({ outcome }) => <StateMark state={MARKS[outcome]} label={OUTCOME_WORDS[outcome]} />,
  },
  {
    header: 'Reason',
    phone: 'wide',
    cell: ({ reason }) => <span className={classes.reason}>{reason}</span>,
  },
];

interface BulkResultListProps {
  rows: ResultRow[];
  /** Prefix of the file name: "set-group". */
  fileName: string;
  /** The kind of item: "device". */
  noun: string;
  actions: ReactNode;
  /** Omitted outside a dialog. */
  onClose?: () => void;
}

export function BulkResultList({ rows, fileName, noun, actions, onClose }: BulkResultListProps) {
  const [shown, setShown] = useState<BulkOutcome | ''>('');
  const counts = countResults(rows);
  const sorted = useMemo(() => sortResults(rows), [rows]);
  // A retry may have emptied the outcome that was filtered by.
  const filter = shown !== '' && counts[shown] > 0 ? shown : '';
  const visible = filter === '' ? sorted : sorted.filter(({ outcome }) => outcome === filter);
  return (
    <div className={classes.steps}>
      <p>
        <strong>{capitalised(countsText(counts, formatCount))}.</strong>
      </p>
      <div className="between">
        <NativeSelect
          size="xs"
          aria-label="Show results"
          value={filter}
          onChange={(event) => setShown(event.currentTarget.value as BulkOutcome | '')}
          data={[
            { value: '', label: `All ${formatCount(rows.length)}` },
            ...outcomesOf(counts).map((each) => ({
              value: each,
              label: `${OUTCOME_WORDS[each]} ${formatCount(counts[each])}`,
            })),
          ]}
        />
        <Button size="xs" onClick={() => saveFile(datedName(fileName), resultsCsv(sorted))}>
          Export results
        </Button>
      </div>
      <VirtualTable
        name="Results"
        bounded={onClose !== undefined}
        columns={columnsOf(noun)}
        rows={visible}
        rowKey={({ id }) => id}
      />
      <div className="actions">
        {actions}
        {onClose && (
          <Button ref={focusOnMount} onClick={onClose}>
            Close
          </Button>
        )}
      </div>
    </div>
  );
}
