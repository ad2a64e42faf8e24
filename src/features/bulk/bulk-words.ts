// Bulk work in words: its title, progress and result.
import type { Bulk, BulkAction, BulkDraft, BulkItem } from '#/contract/bulk.ts';
import type { Tag } from '#/contract/tags.ts';
import { counted, formatCount } from '#/lib/format.ts';
import { visible } from '#/lib/glyphs.ts';
import type { StateWords } from '#/ui/controls/state-words.ts';

type Work = Pick<Bulk, 'Action' | 'Of' | 'Values' | 'Counts'>;

const TITLES: Record<BulkAction, string> = {
  edit: 'Change',
  tag: 'Tag',
  untag: 'Remove a tag from',
  delete: 'Delete',
  stop: 'Stop',
  archive: 'Archive',
  unarchive: 'Restore',
  newKey: 'New keys for',
  rotateKey: 'Rotate the keys of',
  create: 'Create',
  undo: 'Undo changes to',
};
const UNDER_WAY: Record<BulkAction, string> = {
  edit: 'Changing',
  tag: 'Tagging',
  untag: 'Removing a tag from',
  delete: 'Deleting',
  stop: 'Stopping',
  archive: 'Archiving',
  unarchive: 'Restoring',
  newKey: 'Creating new keys for',
  rotateKey: 'Asking for new keys',
  create: 'Creating',
  undo: 'Undoing changes to',
};

const nounOf = ({ Of }: Work) => (Of === 'Devices' ? 'device' : 'job');
const endedOf = ({ Counts: { Done, Failed, Skipped } }: Work) => Done + Failed + Skipped;
export const workSize = (work: Work): number => endedOf(work) + work.Counts.Left;

/** "Tag 10,000 devices" */
export const bulkTitle = (work: Work): string => `${TITLES[work.Action]} ${counted(workSize(work), nounOf(work))}`;

/** "Tagging 3,210 of 10,000 devices" */
export const bulkProgress = (work: Work): string =>
  `${UNDER_WAY[work.Action]} ${formatCount(endedOf(work))} of ${counted(workSize(work), nounOf(work))}`;

/** "3 done, 1 failed, 2 not done" */
const resultText = ({ Counts: { Done, Failed, Skipped, Left } }: Work): string =>
  [
    `${formatCount(Done)} done`,
    ...(Failed > 0 ? [`${formatCount(Failed)} failed`] : []),
    ...(Skipped > 0 ? [`${formatCount(Skipped)} skipped`] : []),
    ...(Left > 0 ? [`${formatCount(Left)} not done`] : []),
  ].join(', ');

export function bulkWords(bulk: Work & Pick<Bulk, 'State'>): StateWords {
  const { State, Counts } = bulk;
  if (State === 'Running') return { label: bulkProgress(bulk), mark: 'Running', failed: Counts.Failed };
  if (State === 'Cancelled')
    return { label: `Cancelled: ${resultText(bulk)}`, mark: Counts.Failed > 0 ? 'Failed' : 'Cancelled' };
  return { label: resultText(bulk), mark: Counts.Failed > 0 ? 'Failed' : 'Succeeded' };
}

const FIELDS: [field: 'DeviceName' | 'DeviceGroup' | 'CustomerName' | 'CustomerSite', name: string][] = [
  ['DeviceName', 'Name'],
  ['DeviceGroup', 'Group'],
  ['CustomerName', 'Customer'],
  ['CustomerSite', 'Site'],
];

/** The values that are set: "Group north", "Tag outdoors". */
export function bulkValues({ Values }: Pick<Work, 'Values'>, tags: readonly Tag[]): string {
  const { TagId, Lat, Lng, OnlyWaiting } = Values;
  const tag = TagId === undefined ? undefined : (tags.find((each) => each.TagId === TagId)?.TagName ?? TagId);
  return [
    ...FIELDS.flatMap(([field, name]) => {
      const value = Values[field];
      return value === undefined ? [] : [value === '' ? `No ${name.toLowerCase()}` : `${name} ${visible(value)}`];
    }),
    ...(Lat === undefined || Lng === undefined ? [] : [`Location ${Lat}, ${Lng}`]),
    ...(tag === undefined ? [] : [`Tag ${visible(tag)}`]),
    ...(OnlyWaiting === true ? ['Waiting jobs only'] : []),
  ].join(', ');
}

/** The request that repeats the action for some of its items; undefined if it cannot be repeated. */
export function sameFor({ Action, Of, Values }: Bulk, items: readonly BulkItem[]): BulkDraft | undefined {
  // New keys were shown once, and what an undo puts back is known to the service only.
  if (Action === 'undo' || Action === 'newKey') return undefined;
  if (Action === 'create') return { Action, Devices: items.flatMap(({ Device }) => Device ?? []) };
  const ids = items.map(({ Id }) => Id);
  return {
    Action,
    ...(Of === 'Devices' ? { Devices: ids } : { Jobs: ids }),
    ...(Object.keys(Values).length > 0 && { Values }),
  };
}
