// Sends what rows change on their devices, a device at a time; the service does it by itself where all change alike.
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

/** One request of the service for all of them, if they get the same values and no tags. */
function toBulkRequest(changes: readonly RowChange[]): BulkChange | undefined {
  const valuesOf = ({ fields, position }: RowChange) => ({ ...fields, ...position });
  const [first] = changes;
  if (!first || changes.some(({ tag, untag }) => tag.length + untag.length > 0)) return undefined;
  const Values = valuesOf(first);
  const text = JSON.stringify(Values);
  if (changes.some((change) => JSON.stringify(valuesOf(change)) !== text)) return undefined;
  return { Action: 'edit', Devices: changes.map(({ device }) => device.DeviceId), Values };
}

/** What is sent, to be shown. `tags`: those that exist. */
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
