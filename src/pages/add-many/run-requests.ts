// What a run sends for its rows, to be shown before it begins.
import { bulkChange, bulkLocate, bulkTag } from '#/api/bulk.ts';
import { requestOf } from '#/api/request-of.ts';
import type { ApiRequest } from '#/api/request-of.ts';
import { tagRequests } from '#/api/tags.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import type { Tag } from '#/contract/tags.ts';
import { checkRow, detailsOf, draftOf } from './row-check.ts';
import { newEntry } from './run-entry.ts';
import type { DraftRow } from './rows.ts';

/** A placeholder for the id in the answer to a row's first request. */
const DEVICE = { DeviceId: 'DEVICE_ID' };

/** `tags`: those that there are already, as far as is known. */
export const requestsFor = (rows: readonly DraftRow[], tags: readonly Tag[]): ApiRequest[] =>
  rows.flatMap((row) => {
    const { device } = checkRow(row);
    const steps = new Set(newEntry(row, device).missing);
    return [
      requestOf(deviceEndpoints.create, { body: draftOf(device) }),
      ...(steps.has('details') ? [bulkChange(detailsOf(device)).request(DEVICE)] : []),
      ...(device.position ? [bulkLocate(device.position).request(DEVICE)] : []),
      ...device.tags.flatMap((name) => {
        const { first, id } = tagRequests(name, tags);
        return [...first, bulkTag(id, true).request(DEVICE)];
      }),
    ];
  });
