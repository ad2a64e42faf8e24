// Sends the changes of rows to their devices, one device at a time, or as bulk work if all changes are the same.
import { bulkChange, bulkLocate, bulkTag, type BulkWrite } from '#/api/bulk.ts';
import { bulkChanges } from '#/api/bulk-work.ts';
import type { BulkChange } from '#/contract/bulk.ts';
import { bulkEndpoints } from '#/contract/bulk.ts';
import type { Tag } from '#/contract/tags.ts';
import { requestOf, type ApiRequest } from '#/api/request-of.ts';
import { TagIds } from '#/api/tag-ids.ts';
import { tagRequests } from '#/api/tags.ts';
import { provisioning } from '#/fleet/provisioning.ts';
import type { RowChange } from './row-changes.ts';

const ownWrites = ({ fields, position, untag }: RowChange) => [
  ...(Object.keys(fields).length > 0 ? [bulkChange(fields)] : []),
  ...(position ? [bulkLocate(position)] : []),
  ...untag.map(({ TagId }) => bulkTag(TagId, false)),
];

/** One bulk request for all devices, if they get the same values and no tags. */
function toBulkRequest(changes: readonly RowChange[]): BulkChange | undefined {
  const valuesOf = ({ fields, position }: RowChange) => ({ ...fields, ...position });
  const [first] = changes;
  if (!first || changes.some(({ tag, untag }) => tag.length + untag.length > 0)) return undefined;
  const Values = valuesOf(first);
  const text = JSON.stringify(Values);
  if (changes.some((change) => JSON.stringify(valuesOf(change)) !== text)) return undefined;
  return { Action: 'edit', Devices: changes.map(({ device }) => device.DeviceId), Values };
}

/** The requests, for display. `tags`: the existing tags. */
export function changeRequests(
  changes: readonly RowChange[],
  tags: readonly Tag[],
  inService: boolean,
): readonly ApiRequest[] {
  const bulk = inService ? toBulkRequest(changes) : undefined;
  if (bulk) return bulkChanges(bulk).map((body) => requestOf(bulkEndpoints.create, { body }));
  return changes.flatMap((change) => [
    ...ownWrites(change).map((write) => write.request(change.device)),
    ...change.tag.flatMap((name) => {
      const { first, id } = tagRequests(name, tags);
      return [...first, bulkTag(id, true).request(change.device)];
    }),
  ]);
}

export function changesWrite(): BulkWrite<RowChange> {
  const ids = new TagIds(provisioning);
  const writesOf = async (change: RowChange) => [
    ...ownWrites(change),
    ...(await Promise.all(change.tag.map(async (name) => bulkTag(await ids.idOf(name), true)))),
  ];
  return {
    request: (change) => changeRequests([change], [], false)[0]!,
    send: async (change) => {
      for (const write of await writesOf(change)) await write.send(change.device);
    },
    toBulkRequest,
  };
}
