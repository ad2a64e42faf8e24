// Workflows: the older way to deploy, complete, and marked as such.
import { useQuery } from '@tanstack/react-query';
import { Button, Group, Stack } from '@mantine/core';
import { IconHistory, IconPlus } from '@tabler/icons-react';
import type { Workflow } from '#/contract/workflows.ts';
import { workflowMutations, workflowQueries } from '#/api/workflows.ts';
import { paths } from '#/paths.ts';
import { ArtifactTabs } from '#/features/page-tabs/page-tabs.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { Page } from '#/ui/page/page.tsx';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { Empty, View } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import { CreateWorkflow } from './create-workflow.tsx';
import { WorkflowTable, type WorkflowDialog } from './workflow-table.tsx';
import classes from './workflows-page.module.css';

export function WorkflowsPage() {
  const workflows = useQuery(workflowQueries.list());
  const dialog = useDialog<WorkflowDialog>('workflow');
  const subject = workflows.data?.find(({ WorkflowId }) => WorkflowId === dialog.subject);
  const create = (
    <Button
      variant="filled"
      leftSection={<IconPlus size={18} stroke={1.6} aria-hidden />}
      onClick={() => dialog.open('create')}
    >
      Create workflow
    </Button>
  );
  const isEmpty = workflows.data?.length === 0;
  return (
    <Page
      title="Workflows"
      heading={
        <>
          Workflows <span className={classes.legacy}>Legacy</span>
        </>
      }
      lead="A workflow is a command that runs on devices as written."
      actions={isEmpty ? null : create}
    >
      <ArtifactTabs />
      <div className={classes.notice}>
        <IconHistory size={18} stroke={1.6} aria-hidden />
        <p>
          Workflows are legacy. For anything new, upload an artifact: it carries its files, is checked before upload and
          has a version. <Link to={paths.artifacts()}>Go to Artifacts</Link>
        </p>
      </div>
      <View
        query={workflows}
        name="workflows"
        isEmpty={({ length }) => length === 0}
        empty={
          <Empty title="No workflows" action={create}>
            A workflow needs only a name and a command.
          </Empty>
        }
      >
        {(all) => <WorkflowTable workflows={all} dialog={dialog} />}
      </View>
      <CreateWorkflow opened={dialog.name === 'create'} onClose={dialog.close} />
      {dialog.name === 'view' && workflows.data && <WorkflowDetails workflow={subject} onClose={dialog.close} />}
      {dialog.name === 'delete' && subject && <DeleteWorkflow workflow={subject} onClose={dialog.close} />}
    </Page>
  );
}

function DeleteWorkflow({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Delete workflow"
      confirmLabel="Delete workflow"
      write={workflowMutations.remove(workflow.WorkflowId)}
    >
      <strong>{workflow.Name}</strong> can no longer be deployed. Its effects on devices stay.
    </ConfirmDialog>
  );
}

/** One workflow with its whole command. */
function WorkflowDetails({ workflow, onClose }: { workflow: Workflow | undefined; onClose: () => void }) {
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
        <p>It may have been deleted since the link was created.</p>
      )}
    </BaseDialog>
  );
}
