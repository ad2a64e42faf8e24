// The stored workflows, newest first.
import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { Workflow } from '#/contract/workflows.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { paths } from '#/paths.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { ShortId } from '#/ui/controls/copy-button.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import { useMoreRows } from '#/ui/table/more-rows.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { Link } from '#/ui/url/link.tsx';
import classes from './workflows-page.module.css';

export type WorkflowDialog = 'create' | 'view' | 'delete';

/** All of a command's lines in one, the ends of lines made visible. */
const inOneLine = (command: string) =>
  command
    .trim()
    .slice(0, 300)
    .replace(/\s*\n\s*/g, ' ↵ ');

const columnsOf = (dialog: Dialog<WorkflowDialog>): Column<Workflow>[] => [
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
        <Button component={Link} to={paths.deploy({ workflow: WorkflowId })} size="xs" aria-label={`Deploy ${Name}`}>
          Deploy
        </Button>
        <IconButton
          icon={IconTrash}
          iconSize={18}
          label={`Delete ${Name}`}
          title="Delete"
          onClick={() => dialog.open('delete', WorkflowId)}
        />
      </span>
    ),
  },
];

const timeOf = ({ CreatedTime }: Workflow) => parseTimestamp(CreatedTime)?.getTime() ?? -1;

export function WorkflowTable({ workflows, dialog }: { workflows: Workflow[]; dialog: Dialog<WorkflowDialog> }) {
  const [rows, more] = useMoreRows(workflows.toSorted((a, b) => timeOf(b) - timeOf(a)));
  return (
    <>
      <DataTable name="Workflows" columns={columnsOf(dialog)} rows={rows} rowKey={({ WorkflowId }) => WorkflowId} />
      {more}
    </>
  );
}
