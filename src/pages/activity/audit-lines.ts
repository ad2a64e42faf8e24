// The lines of the audit log: the entries of what a bulk action did to each item are one line, which opens to them. An entry
// does not name its bulk action, so they are matched: by the same actor from the same address, of an action that it consists
// of, between its start and its end.
import type { AuditEntry } from '#/contract/audit.ts';
import type { Bulk, BulkAction } from '#/contract/bulk.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';

/** A line of the log. */
export interface AuditLine {
  entry: AuditEntry;
  /** The entries of its items that were read so far, newest first; empty for any other line. */
  items: readonly AuditEntry[];
  /** The Id of the line that it was opened from. */
  of?: string;
}

const ON_DEVICE = ['device.update', 'device.locate'];
const CONSISTS_OF: Record<BulkAction, readonly string[]> = {
  edit: ON_DEVICE,
  tag: ['tag.attach'],
  untag: ['tag.detach'],
  delete: ['device.remove', 'job.stop', 'job.remove'],
  stop: ['job.stop'],
  archive: ['job.archive'],
  unarchive: ['job.unarchive'],
  newKey: ['device.rekey'],
  create: ['device.create', 'tag.create', 'tag.attach', ...ON_DEVICE],
  undo: ['tag.attach', 'tag.detach', ...ON_DEVICE],
};

const timeOf = (text: string) => parseTimestamp(text)?.getTime() ?? Number.NaN;

interface Span {
  entry: AuditEntry;
  actions: readonly string[];
  from: number;
  to: number;
}

/** Bulk actions with their entries. Those whose bulk work is forgotten have no known end, so their items stay single lines. */
function spansOf(entries: readonly AuditEntry[], works: readonly Bulk[]): Span[] {
  const byId = new Map(works.map((work) => [work.BulkId, work]));
  const spans = entries.flatMap((entry): Span[] => {
    const work = byId.get(entry.Object.split(' ')[0] ?? '');
    if (!work || entry.Action !== `bulk.${work.Action}`) return [];
    const to = work.EndTime === '' ? Number.POSITIVE_INFINITY : timeOf(work.EndTime);
    return [{ entry, actions: CONSISTS_OF[work.Action], from: timeOf(work.CreatedTime), to }];
  });
  // Of two at the same time, an item belongs to the one that began last.
  return spans.sort((one, two) => two.from - one.from);
}

/** `entries`: newest first. `starts`: the entries of bulk actions, which may be older than those. */
export function auditLines(
  entries: readonly AuditEntry[],
  starts: readonly AuditEntry[],
  works: readonly Bulk[],
): AuditLine[] {
  const known = new Map([...starts, ...entries].map((entry) => [entry.Id, entry]));
  const spans = spansOf([...known.values()], works);
  const spanOf = ({ Actor, Address, Action, Time }: AuditEntry) =>
    spans.find(
      ({ entry, actions, from, to }) =>
        actions.includes(Action) &&
        entry.Actor === Actor &&
        entry.Address === Address &&
        timeOf(Time) >= from &&
        timeOf(Time) <= to,
    );
  const lines = new Map<string, { entry: AuditEntry; items: AuditEntry[] }>();
  for (const entry of entries) {
    const start = entry.Outcome === 'done' ? spanOf(entry)?.entry : undefined;
    const line = lines.get((start ?? entry).Id) ?? { entry: start ?? entry, items: [] };
    lines.set(line.entry.Id, line);
    if (start) line.items.push(entry);
  }
  return [...lines.values()];
}

/** With the items of the opened lines below them. */
export const withOpened = (lines: readonly AuditLine[], opened: ReadonlySet<string>): AuditLine[] =>
  lines.flatMap((line) =>
    opened.has(line.entry.Id) ? [line, ...line.items.map((entry) => ({ entry, items: [], of: line.entry.Id }))] : line,
  );
