// Whether a bulk action on devices is permitted: as bulk work of the service, and as what that does to each device.
import { useMe, whyNot } from '#/api/people.ts';
import { bulkEndpoints } from '#/contract/bulk.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import type { OperationRow } from '#/contract/resource.ts';
import { tagEndpoints } from '#/contract/tags.ts';
import type { BulkActionName } from './bulk-actions.ts';

interface Need {
  doing: string;
  operations: readonly OperationRow[];
  /** As the service names it; undefined for what is done device by device. */
  action?: string;
}

const EDITING: Need = { doing: 'Editing devices', operations: [deviceEndpoints.update], action: 'edit' };

/** An export only reads. */
const NEEDS: Record<Exclude<BulkActionName, 'export'>, Need> = {
  group: EDITING,
  customer: EDITING,
  site: EDITING,
  location: { doing: 'Setting a location', operations: [deviceEndpoints.locate], action: 'edit' },
  'add-tag': { doing: 'Tagging devices', operations: [tagEndpoints.attach], action: 'tag' },
  'remove-tag': { doing: 'Tagging devices', operations: [tagEndpoints.detach], action: 'untag' },
  'update-agent': { doing: 'Updating agents', operations: [deviceEndpoints.updateAgent] },
  'rotate-key': { doing: 'Rotating keys', operations: [deviceEndpoints.rotateKey], action: 'rotateKey' },
  delete: { doing: 'Deleting devices', operations: [deviceEndpoints.remove], action: 'delete' },
};

/** Why an action is not permitted, as a sentence; undefined if it is. */
export function useMayBulk(): (action: BulkActionName) => string | undefined {
  const me = useMe();
  return (name) => {
    if (name === 'export') return undefined;
    const { doing, operations, action } = NEEDS[name];
    const rows = action === undefined ? operations : [...operations, bulkEndpoints.create];
    const request = { body: { Action: action } };
    return rows.map((row) => whyNot(me, row, { doing, request })).find((why) => why !== undefined);
  };
}
