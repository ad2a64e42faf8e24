// One workflow with its whole command.
import { Link } from 'react-router';
import { Button, Group, Stack } from '@mantine/core';
import type { Workflow } from '#/contract/workflows.ts';
import { paths } from '#/paths.ts';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';

export function WorkflowDetails({ workflow, onClose }: { workflow: Workflow | undefined; onClose: () => void }) {
  return (
    <BaseDialog onClose={onClose} title={workflow?.Name || 'No such workflow'} size="lg">
      {workflow ? (
        <Stack gap="md">
          <CommandLine label="Command" command={workflow.Command} />
          <dl className="facts">
            <dt>Created</dt>
            <dd>
              <Timestamp text={workflow.CreatedTime} />
            </dd>
            <dt>Id</dt>
            <dd className="copied">
              <span className="mono">{workflow.WorkflowId}</span>{' '}
              <CopyButton value={workflow.WorkflowId} what="workflow id" />
            </dd>
          </dl>
          <Group justify="flex-end">
            <Button variant="filled" component={Link} to={paths.deploy({ workflow: workflow.WorkflowId })}>
              Deploy
            </Button>
          </Group>
        </Stack>
      ) : (
        <p>It is not in the list. It may have been deleted since the link was made.</p>
      )}
    </BaseDialog>
  );
}
