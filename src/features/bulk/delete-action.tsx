// Deletes many devices, after the count was typed.
import { devicesText } from '#/lib/format.ts';
import { bulkDelete } from '#/api/bulk.ts';
import { BulkSteps } from './bulk-steps.tsx';
import type { BulkActionProps } from './bulk-steps.tsx';

export function DeleteAction(frame: BulkActionProps) {
  return (
    <BulkSteps
      {...frame}
      action={{
        what: 'Delete devices',
        keep: () => undefined,
        does: ['is deleted', 'are deleted'],
        fault: undefined,
        button: (count) => `Delete ${devicesText(count)}`,
        typed: true,
        danger: true,
        requests: (change) => change.map(bulkDelete().request),
        prepare: () => Promise.resolve(bulkDelete()),
      }}
      note={(change) => {
        const online = change.filter(({ DeviceStatus }) => DeviceStatus === 'Online').length;
        return (
          <p>
            Their keys, the jobs that wait for them and their tunnels end with them.
            {online > 0 &&
              ` ${devicesText(online)} ${online === 1 ? 'is Online now and is' : 'are Online now and are'} cut off at once.`}{' '}
            This cannot be undone.
          </p>
        );
      }}
    />
  );
}
