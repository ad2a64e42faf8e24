// Undoing bulk work of the service.
import { bulkQueries, isRunning, undoBulk, type ReadBulk } from '#/api/bulk-work.ts';
import { queryClient } from '#/api/query-client.ts';
import { invalidate } from '#/api/query.ts';
import type { BulkAction } from '#/contract/bulk.ts';
import { fleetStore } from '#/fleet/use-fleet.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { waitFor } from '#/lib/pace.ts';
import { paths } from '#/paths.ts';
import { offerUndo, type Undone } from './offer-undo.tsx';

export const canBeUndone = (action: BulkAction): boolean => action === 'edit' || action === 'tag' || action === 'untag';

const DOES: Partial<Record<BulkAction, string>> = { edit: 'changed', tag: 'tagged', untag: 'lost a tag' };
/** Milliseconds between two looks at running work. */
const LOOK_MS = 150;

async function untilOver(id: string): Promise<ReadBulk> {
  for (;;) {
    const read = await queryClient.query({ ...bulkQueries.one(id), staleTime: 0 });
    if (!isRunning(read.bulk)) return read;
    await waitFor(LOOK_MS);
  }
}

/** Waits for the work to end, and offers to undo it. */
export async function offerBulkUndo(ids: readonly string[]): Promise<void> {
  const works = await Promise.all(ids.map(untilOver));
  const changed = works.filter(({ bulk: { Action, Counts } }) => canBeUndone(Action) && Counts.Done > 0);
  const [first] = changed;
  if (!first) return;
  const count = changed.reduce((sum, { bulk }) => sum + bulk.Counts.Done, 0);
  offerUndo(`${devicesText(count)} ${DOES[first.bulk.Action]}.`, () =>
    undoWorks(changed.map(({ bulk }) => bulk.BulkId)),
  );
}

/** Undoes bulk work, the last first. */
export async function undoWorks(ids: readonly string[]): Promise<Undone> {
  const done: ReadBulk[] = [];
  for (const id of ids.toReversed()) done.push(await untilOver(await undoBulk(id)));
  void invalidate(queryClient, ['devices', 'tags', 'bulk']);
  fleetStore().changed();
  const items = done.flatMap((each) => each.items);
  const isWhole = items.every(({ Outcome, Because }) => Outcome === 'Done' && Because === '');
  const to = paths.bulk(done.at(-1)?.bulk.BulkId ?? '');
  if (isWhole) return { text: `Undone: ${devicesText(items.length)}.` };
  const left = items.filter(({ Outcome, Because }) => Outcome !== 'Done' || Because !== '');
  return {
    text: `Undone for ${formatCount(items.length - left.length)} of ${devicesText(items.length)}. The rest stays as it is.`,
    to,
    isPart: true,
  };
}
