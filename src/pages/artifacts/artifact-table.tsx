// The registry: every stored artifact, newest first, searched by name.
import { Link } from 'react-router';
import { ActionIcon, Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { Artifact } from '#/contract/artifacts.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { paths } from '#/paths.ts';
import { ShortId } from '#/ui/copy-button.tsx';
import { DataTable, rowName } from '#/ui/data-table.tsx';
import type { Column } from '#/ui/data-table.tsx';
import { formatBytes, formatCount } from '#/ui/format.ts';
import { useMoreRows } from '#/ui/more-rows.tsx';
import { Time } from '#/ui/time.tsx';
import type { Dialog } from '#/ui/use-dialog.ts';
import classes from './artifact-table.module.css';

export type ArtifactDialog = 'details' | 'delete';

export const typeOf = ({ IsScript }: Artifact): string => (IsScript ? 'script' : 'tar.gz');

/** The true size; else the number that was given on upload, whose unit nobody knows. */
export function ArtifactSize({ artifact: { SizeBytes, Size } }: { artifact: Artifact }) {
  if (SizeBytes !== undefined) return <span title={`${formatCount(SizeBytes)} bytes`}>{formatBytes(SizeBytes)}</span>;
  return (
    <span title="As given on upload, in a unit the service does not tell">
      {Size === undefined ? '–' : formatCount(Size)}
    </span>
  );
}

interface ArtifactTableProps {
  artifacts: Artifact[];
  dialog: Dialog<ArtifactDialog>;
  /** Id of the one that was just uploaded. */
  marked: string | undefined;
}

const columnsOf = ({ dialog, marked }: Omit<ArtifactTableProps, 'artifacts'>): Column<Artifact>[] => [
  {
    header: 'Name',
    phone: 'wide',
    cell: ({ ArtifactId, Name }) => (
      <span className={classes['name']} data-marked={ArtifactId === marked || undefined}>
        <Link {...dialog.link('details', ArtifactId)} className={rowName} title={Name}>
          {Name || 'Without a name'}
        </Link>
        {ArtifactId === marked && <span className={classes['new']}>New</span>}
      </span>
    ),
  },
  { header: 'Version', cell: ({ Version }) => <span title={Version}>{Version}</span>, phone: 'second' },
  { header: 'Type', cell: typeOf, phone: 'hide' },
  { header: 'Size', align: 'end', cell: (artifact) => <ArtifactSize artifact={artifact} />, phone: 'end' },
  {
    header: 'Uploaded',
    cell: ({ CreatedTime }) => <Time at={parseTimestamp(CreatedTime)} raw={CreatedTime} />,
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

/** Newest first; those whose time cannot be read last. */
export function newestFirst(artifacts: readonly Artifact[]): Artifact[] {
  const times = new Map(
    artifacts.map(({ ArtifactId, CreatedTime }) => [ArtifactId, parseTimestamp(CreatedTime)?.getTime() ?? -1]),
  );
  return artifacts.toSorted((a, b) => (times.get(b.ArtifactId) ?? -1) - (times.get(a.ArtifactId) ?? -1));
}
