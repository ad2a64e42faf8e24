// A bulk action on devices, from the plan to the results.
import { devicesText } from '#/lib/format.ts';
import { BULK_ACTIONS, type BulkActionName } from './bulk-actions.ts';
import { BulkFrame } from './bulk-frame.tsx';
import { ExportAction } from './export-action.tsx';
import { FieldAction } from './field-action.tsx';
import { LocationAction } from './location-action.tsx';
import { selection } from './selection.ts';
import { TagAction } from './tag-actions.tsx';
import { bulkDelete, bulkRotateKeys, bulkUpdateAgent } from '#/api/bulk.ts';
import { BulkSteps, type BulkActionProps } from './bulk-steps.tsx';
import { whyNoRotation, whyNoUpdate } from '#/fleet/agent-limits.ts';
import { useMayBulk } from './use-may-bulk.ts';

const DEVICES: string[] = ['devices'];
const STALE: Record<BulkActionName, string[]> = {
  group: DEVICES,
  customer: DEVICES,
  site: DEVICES,
  location: DEVICES,
  'add-tag': ['tags', 'devices'],
  'remove-tag': ['tags', 'devices'],
  'update-agent': DEVICES,
  'rotate-key': DEVICES,
  export: [],
  delete: ['devices', 'account', 'jobs', 'tunnels'],
};

export function BulkDialog({ action, ids, onClose }: { action: BulkActionName; ids: string[]; onClose: () => void }) {
  const whyNo = useMayBulk();
  return (
    <BulkFrame
      title={`${BULK_ACTIONS[action]}: ${devicesText(ids.length)}`}
      ids={ids}
      stale={STALE[action]}
      why={whyNo(action)}
      onClose={({ results, busy }) => {
        // Deleted devices cannot stay selected.
        if (action === 'delete' && busy) selection.remove(ids);
        else if (action === 'delete')
          selection.remove(Array.from(results).flatMap(([id, { outcome }]) => (outcome === 'done' ? id : [])));
        onClose();
      }}
    >
      {(frame) => <Action action={action} frame={frame} />}
    </BulkFrame>
  );
}

function Action({ action, frame }: { action: BulkActionName; frame: BulkActionProps }) {
  switch (action) {
    case 'group':
    case 'customer':
    case 'site':
      return <FieldAction {...frame} name={action} />;
    case 'location':
      return <LocationAction {...frame} />;
    case 'add-tag':
      return <TagAction {...frame} on />;
    case 'remove-tag':
      return <TagAction {...frame} on={false} />;
    case 'update-agent':
      return <UpdateAgentAction {...frame} />;
    case 'rotate-key':
      return <RotateKeyAction {...frame} />;
    case 'export':
      return <ExportAction {...frame} />;
    case 'delete':
      return <DeleteAction {...frame} />;
  }
}

function DeleteAction(frame: BulkActionProps) {
  return (
    <BulkSteps
      {...frame}
      what="Delete devices"
      does={['is deleted', 'are deleted']}
      button={(count) => `Delete ${devicesText(count)}`}
      typed
      danger
      write={bulkDelete()}
      note={(change) => {
        const online = change.filter(({ DeviceStatus }) => DeviceStatus === 'Online').length;
        return (
          <p>
            Their keys, waiting jobs and tunnels are deleted too.
            {online > 0 &&
              ` ${devicesText(online)} ${online === 1 ? 'is online now and is' : 'are online now and are'} disconnected at once.`}{' '}
            This cannot be undone.
          </p>
        );
      }}
    />
  );
}

function UpdateAgentAction(frame: BulkActionProps) {
  return (
    <BulkSteps
      {...frame}
      what="Update agents"
      whySkipped={whyNoUpdate}
      does={['is asked to update its agent', 'are asked to update their agents']}
      button={(count) => `Update the agent of ${devicesText(count)}`}
      write={bulkUpdateAgent()}
      note={() => (
        <p>
          Each device downloads this service’s agent, restarts with it when no job runs, and returns to its current
          agent if the new one cannot connect. The device pages show the result.
        </p>
      )}
    />
  );
}

function RotateKeyAction(frame: BulkActionProps) {
  return (
    <BulkSteps
      {...frame}
      what="Rotate keys"
      whySkipped={whyNoRotation}
      does={['takes a new key', 'take new keys']}
      button={(count) => `Rotate the ${count === 1 ? 'key' : 'keys'} of ${devicesText(count)}`}
      write={bulkRotateKeys()}
      note={() => (
        <p>
          Each device is sent its new key over its connection, or when it is Online again. It stays connected; the old
          key stops working when the device uses the new one.
        </p>
      )}
    />
  );
}
