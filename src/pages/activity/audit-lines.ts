// The lines of the audit log: the entries of a bulk action are one line, which opens to them.
import type { AuditEntry } from '#/contract/audit.ts';

/** A line of the log. */
export interface AuditLine {
  entry: AuditEntry;
  /** The entries of its items that were read so far, newest first; empty for any other line. */
  items: readonly AuditEntry[];
  /** The Id of the line that it was opened from. */
  of?: string;
}

/** The entry of the action itself names it first in its object. */
const isStart = ({ Action, Object: object, BulkId }: AuditEntry) =>
  BulkId !== undefined && Action.startsWith('bulk.') && object.startsWith(BulkId);

/** `entries`: newest first. `starts`: the entries of bulk actions, which may be older than those. */
export function auditLines(entries: readonly AuditEntry[], starts: readonly AuditEntry[]): AuditLine[] {
  const startOf = new Map([...starts, ...entries].filter(isStart).map((entry) => [entry.BulkId, entry]));
  const lines = new Map<string, { entry: AuditEntry; items: AuditEntry[] }>();
  for (const entry of entries) {
    const start = startOf.get(entry.BulkId) ?? entry;
    const line = lines.get(start.Id) ?? { entry: start, items: [] };
    lines.set(start.Id, line);
    if (entry.Id !== start.Id) line.items.push(entry);
  }
  return [...lines.values()];
}

/** With the items of the opened lines below them. */
export const withOpened = (lines: readonly AuditLine[], opened: ReadonlySet<string>): AuditLine[] =>
  lines.flatMap((line) =>
    opened.has(line.entry.Id) ? [line, ...line.items.map((entry) => ({ entry, items: [], of: line.entry.Id }))] : line,
  );
