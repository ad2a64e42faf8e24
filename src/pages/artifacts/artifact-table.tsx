// The registry: every stored artifact, newest first, searched by name.
import { Link } from 'react-router';
import { ActionIcon, Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { Artifact } from '#/contract/artifacts.ts';
import { paths } from '#/paths.ts';
import { ShortId } from '#/ui/copy-button.tsx';
import { DataTable, rowName } from '#/ui/data-table.tsx';
import type { Column } from '#/ui/data-table.tsx';
import { useMoreRows } from '#/ui/more-rows.tsx';
import type { Dialog } from '#/ui/use-dialog.ts';
import { ArtifactAge, ArtifactSize, typeOf } from './artifact-facts.tsx';
import type { ArtifactDialog } from './artifact-facts.tsx';
import classes from './artifact-table.module.css';

interface ArtifactTableProps {
  artifacts: Artifact[];
  dialog: Dialog<ArtifactDialog>;
  /** Ids of those that were just uploaded. */
  marked: ReadonlySet<string>;
}

const columnsOf = ({ dialog, marked }: Omit<ArtifactTableProps, 'artifacts'>): Column<Artifact>[] => [
  {
    header: 'Name',
    phone: 'wide',
    cell: ({ ArtifactId, Name }) => (
      <span className={classes['name']} data-marked={marked.has(ArtifactId) || undefined}>
        <Link {...dialog.link('details', ArtifactId)} className={rowName} title={Name}>
          {Name || 'Without a name'}
        </Link>
        {marked.has(ArtifactId) && <span className={classes['new']}>New</span>}
      </span>
    ),
  },
  { header: 'Version', cell: ({ Version }) => <span title={Version}>{Version}</span>, phone: 'second' },
  { header: 'Type', cell: typeOf, phone: 'hide' },
  { header: 'Size', align: 'end', cell: (artifact) => <ArtifactSize artifact={artifact} />, phone: 'end' },
  {
    header: 'Uploaded',
    cell: (artifact) => <ArtifactAge artifact={artifact} />,
    phone: 'second',
  },
  { header: 'Id', cell: ({ ArtifactId }) => <ShortId value={ArtifactId} what="artifact id" />, phone: 'hide' },
  {
    header: 'Actions',
    tools: true,
    cell: ({ ArtifactId, Name, Version }) => (
      <span className={classes['tools']}>
        <Button
          component={Link}
          to={paths.deploy({ artifact: ArtifactId })}
          variant="default"
          size="xs"
          aria-label={`Deploy ${Name} ${Version}`}
        >
          Deploy
        </Button>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Delete ${Name} ${Version}`}
          title="Delete"
          onClick={() => dialog.open('delete', ArtifactId)}
        >
          <IconTrash size={18} stroke={1.6} aria-hidden />
        </ActionIcon>
      </span>
    ),
  },
];

export function ArtifactTable({ artifacts, ...rest }: ArtifactTableProps) {
  const [rows, more] = useMoreRows(artifacts);
  return (
    <>
      <DataTable name="Artifacts" columns={columnsOf(rest)} rows={rows} rowKey={({ ArtifactId }) => ArtifactId} />
      {more}
    </>
  );
}
