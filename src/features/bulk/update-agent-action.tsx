// Makes the agents of many devices update themselves.
import { devicesText } from '#/lib/format.ts';
import { bulkUpdateAgent } from '#/api/bulk.ts';
import { whyNoUpdate } from '#/fleet/agent-words.ts';
import { BulkSteps } from './bulk-steps.tsx';
import type { BulkActionProps } from './bulk-steps.tsx';

export function UpdateAgentAction(frame: BulkActionProps) {
  return (
    <BulkSteps
      {...frame}
      action={{
        what: 'Update agents',
        keep: whyNoUpdate,
        does: ['is told to update its agent', 'are told to update their agents'],
        fault: undefined,
        button: (count) => `Update the agent of ${devicesText(count)}`,
        requests: (change) => change.map(bulkUpdateAgent().request),
        prepare: () => Promise.resolve(bulkUpdateAgent()),
      }}
      note={() => (
        <p>
          Each fetches the agent of this service, restarts with it when no job runs there, and goes back to its present
          one if it does not get through. How that goes is told by the devices, not by this dialog.
        </p>
      )}
    />
  );
}
