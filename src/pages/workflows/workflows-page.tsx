// Workflows: stored commands, the older way to deploy. They are complete, and marked as legacy.
import { useQuery } from '@tanstack/react-query';
import { Button, Group, Stack } from '@mantine/core';
import { IconHistory, IconPlus, IconTrash } from '@tabler/icons-react';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { workflowEndpoints, type Workflow } from '#/contract/workflows.ts';
import { workflowMutations, workflowQueries } from '#/api/workflows.ts';
import { paths } from '#/paths.ts';
import { ArtifactTabs } from '#/features/page-tabs/page-tabs.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import { CopyButton, ShortId } from '#/ui/controls/copy-button.tsx';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { useDialog, type Dialog } from '#/ui/dialog/use-dialog.ts';
import { Page } from '#/ui/page/page.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { useMoreRows } from '#/ui/table/more-rows.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { CreateWorkflow } from './create-workflow.tsx';
import classes from './workflows-page.module.css';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

type WorkflowDialog = 'create' | 'view' | 'delete';

/** The command in one line, with line ends made visible. */
const inOneLine = (command: string) =>
  command
    .trim()
    .slice(0, 300)
    .replace(/\s*\n\s*/g, ' ↵ ');

/** Why workflows may be neither deployed nor deleted. */
interface Gates {
  noDeploy: string | undefined;
  noDelete: string | undefined;
}

const columnsOf = (dialog: Dialog<WorkflowDialog>, { noDeploy, noDelete }: Gates): Column<Workflow>[] => [
  {
    header: 'Name',
    phone: 'wide',
    cell: ({ WorkflowId, Name }) => (
      <Link {...dialog.link('view', WorkflowId)} className={rowName}>
        <MiddleEllipsis text={Name || 'Without a name'} />
      </Link>
    ),
  },
  {
    header: 'Command',
    cell: ({ Command }) => (
      <span className={`${classes.command} mono dim`} title={Command.slice(0, 500)}>
        {inOneLine(Command)}
      </span>
    ),
    phone: 'wide',
  },
  {
    header: 'Created',
    cell: ({ CreatedTime }) => <Timestamp text={CreatedTime} />,
    phone: 'second',
  },
  { header: 'Id', cell: ({ WorkflowId }) => <ShortId value={WorkflowId} what="workflow id" />, phone: 'hide' },
  {
    header: 'Actions',
    tools: true,
    cell: ({ WorkflowId, Name }) => (
      <span className="snug">
        <Gate why={noDeploy}>
          <Button component={Link} to={paths.deploy({ workflow: WorkflowId })} size="xs" aria-label={`Deploy ${Name}`}>
            Deploy
          </Button>
        </Gate>
        <Gate why={noDelete}>
          <IconButton
            icon={IconTrash}
            iconSize={18}
            label={`Delete ${Name}`}
            title="Delete"
            onClick={() => dialog.open('delete', WorkflowId)}
          />
        </Gate>
      </span>
    ),
  },
];

export function WorkflowsPage() {
  const workflows = useQuery(workflowQueries.list());
  const dialog = useDialog<WorkflowDialog>('workflow');
  const subject = workflows.data?.find(({ WorkflowId }) => WorkflowId === dialog.subject);
  const noCreate = useMay(workflowEndpoints.create, 'Creating workflows');
  const create = (
    <Gate why={noCreate}>
      <Button
        variant="filled"
        leftSection={<IconPlus size={18} stroke={1.6} aria-hidden />}
        onClick={() => dialog.open('create')}
      >
        Create workflow
      </Button>
    </Gate>
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

const useMayDeploy = () => useMay(jobEndpoints.submit, 'Deploying a workflow', { WorkflowId: 'any' });

const timeOf = ({ CreatedTime }: Workflow) => parseTimestamp(CreatedTime)?.getTime() ?? -1;

function WorkflowTable({ workflows, dialog }: { workflows: Workflow[]; dialog: Dialog<WorkflowDialog> }) {
  const noDeploy = useMayDeploy();
  const noDelete = useMay(workflowEndpoints.remove, 'Deleting workflows');
  const [rows, more] = useMoreRows(workflows.toSorted((a, b) => timeOf(b) - timeOf(a)));
  return (
    <>
      <DataTable
        name="Workflows"
        columns={columnsOf(dialog, { noDeploy, noDelete })}
        rows={rows}
        rowKey={({ WorkflowId }) => WorkflowId}
      />
      {more}
    </>
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

/** One workflow with its full command. */
function WorkflowDetails({ workflow, onClose }: { workflow: Workflow | undefined; onClose: () => void }) {
  const noDeploy = useMayDeploy();
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
          <Group justify="flex-end" className="dialog-foot">
            <Gate why={noDeploy}>
              <Button variant="filled" component={Link} to={paths.deploy({ workflow: workflow.WorkflowId })}>
                Deploy
              </Button>
            </Gate>
          </Group>
        </Stack>
      ) : (
        <p>It may have been deleted since the link was created.</p>
      )}
    </BaseDialog>
  );
}
