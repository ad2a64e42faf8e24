// The rows that have not been sent yet, and the navigation from one problem in them to the next.
import { useCallback, useRef, useState, type RefObject } from 'react';
import { runChunked } from '#/lib/pace.ts';
import type { Plan } from './plan.ts';
import { checkRow, checkSteps, hasError } from './row-check.ts';
import { COLUMNS, edited, newRow, parseRows, type ColumnName, type DraftRow } from './rows.ts';
import type { CellFocus } from './rows-table.tsx';

export function useDraftRows() {
  const [rows, setRows] = useState<readonly DraftRow[]>([]);
  const [notes, setNotes] = useState<string[]>([]);
  const [checking, setChecking] = useState(false);
  const cells = useRef<CellFocus>(null);
  const onEdit = useCallback(
    (row: DraftRow, column: ColumnName, text: string) =>
      setRows((now) => now.map((each) => (each.id === row.id ? edited(each, column, text) : each))),
    [],
  );
  const onRemove = useCallback((row: DraftRow) => setRows((now) => now.filter(({ id }) => id !== row.id)), []);
  const focusName = (index: number) => requestAnimationFrame(() => cells.current?.focus(index, 'name'));

  /** Reads CSV or a table from the clipboard; throws UnusableRows. */
  const read = async (text: string) => {
    setChecking(true);
    try {
      const found = parseRows(text);
      await runChunked(checkSteps(found.rows));
      setRows(found.rows);
      setNotes(found.notes);
    } finally {
      setChecking(false);
    }
  };
  const startEmpty = () => setRows([newRow()]);
  const addEmpty = () => {
    setRows([...rows, newRow()]);
    focusName(rows.length);
  };
  /** Puts rows that were not created before the others. */
  const putBack = (returned: readonly DraftRow[]) => {
    setRows([...returned, ...rows]);
    focusName(0);
  };
  /** Removes and returns the rows that are ready to be created. */
  const takeReady = (): DraftRow[] => {
    const isReady = (row: DraftRow) => !row.existing && !hasError(row);
    setRows(rows.filter((row) => !isReady(row)));
    setNotes([]);
    return rows.filter(isReady);
  };
  const clear = () => setRows([]);
  return { rows, notes, checking, cells, read, onEdit, onRemove, startEmpty, addEmpty, putBack, takeReady, clear };
}

/** Focuses the next cell with an error, or with a warning if there are no errors; wraps around. */
export function useNextProblem(rows: readonly DraftRow[], plan: Plan, cells: RefObject<CellFocus | null>): () => void {
  const last = useRef({ index: -1, column: -1 });
  return () => {
    const isProblem = (row: DraftRow, column: ColumnName) =>
      plan.faulty > 0 ? checkRow(row).errors[column] !== undefined : plan.warningsOf(row)[column] !== undefined;
    const all = rows.flatMap((row, index) =>
      (plan.faulty > 0 ? hasError(row) : true)
        ? COLUMNS.flatMap((column, at) => (isProblem(row, column) ? [{ index, column: at }] : []))
        : [],
    );
    const { index, column } = last.current;
    const next = all.find((each) => each.index > index || (each.index === index && each.column > column)) ?? all[0];
    if (!next) return;
    last.current = next;
    cells.current?.focus(next.index, COLUMNS[next.column] ?? 'name');
  };
}
