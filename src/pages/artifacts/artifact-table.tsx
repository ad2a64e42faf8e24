// The registry as a table: the versions of one artifact under one row that opens, the last upload on top.
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import { ActionIcon, Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconChevronRight, IconTrash } from '@tabler/icons-react';
import type { Artifact } from '#/contract/artifacts.ts';
import { paths } from '#/paths.ts';
import { ShortId } from '#/ui/controls/copy-button.tsx';
import { rowName } from '#/ui/table/table.tsx';
import { formatBytes, formatCount } from '#/lib/format.ts';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import type { Column } from '#/ui/table/table.tsx';
import { ArtifactAge, ArtifactSize, FileFaultMark, typeOf } from './versions/artifact-facts.tsx';
import type { ArtifactDialog } from './versions/artifact-facts.tsx';
import { UsageCounts } from './versions/artifact-usage-counts.tsx';
import type { UsageIndex } from './versions/artifact-usage.ts';
import type { ArtifactVersions } from './versions/artifact-versions.ts';
import { artifactBytes } from './upload/upload-findings.ts';
import classes from './versions/artifact-table.module.css';

/** `group` set: the row of several versions; `inner`: one of them, below it. */
interface Row {
  key: string;
  /** Its own, or the newest of the group. */
  artifact: Artifact;
  group?: ArtifactVersions & { open: boolean };
  inner: boolean;
}

/** Where sums have room beside the rest; the details always show them. */
const WIDE = '(min-width: 1200px)';

interface ArtifactTableProps {
  groups: readonly ArtifactVersions[];
  /** Those found by a search are shown opened. */
  opened: boolean;
  dialog: Dialog<ArtifactDialog>;
  /** Ids of those that were just uploaded. */
  marked: ReadonlySet<string>;
  usage: UsageIndex;
  /** Those whose content another one has, too. */
  twins: ReadonlySet<Artifact>;
}

const keyOf = ({ key }: Row) => key;

function rowsOf(groups: readonly ArtifactVersions[], isOpen: (name: string) => boolean): Row[] {
  return groups.flatMap((group): Row[] => {
    const [newest] = group.artifacts;
    if (!newest) return [];
    if (group.artifacts.length === 1) return [{ key: newest.ArtifactId, artifact: newest, inner: false }];
    const open = isOpen(group.name);
    const head: Row = { key: `group ${group.name}`, artifact: newest, group: { ...group, open }, inner: false };
    if (!open) return [head];
    return [head, ...group.artifacts.map((artifact) => ({ key: artifact.ArtifactId, artifact, inner: true }))];
  });
}

export function ArtifactTable({ groups, opened, dialog, marked, usage, twins }: ArtifactTableProps) {
  // What a person opened or closed, against the default of each group.
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [before, setBefore] = useState(opened);
  if (before !== opened) {
    setBefore(opened);
    setToggled(new Set());
  }
  const toggle = (name: string) =>
    setToggled((now) => (now.has(name) ? new Set([...now].filter((each) => each !== name)) : new Set([...now, name])));
  const rows = useMemo(() => rowsOf(groups, (name) => toggled.has(name) !== opened), [groups, toggled, opened]);
  const wide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const hasSums = wide && groups.some(({ artifacts }) => artifacts.some(({ Sha256 }) => Sha256));

  const columns: Column<Row>[] = [
    {
      header: 'Name',
      width: '26%',
      cell: ({ artifact, group, inner }) =>
        group ? (
          <button type="button" className={classes.group} aria-expanded={group.open} onClick={() => toggle(group.name)}>
            <IconChevronRight className="turns" size={16} stroke={1.6} aria-hidden />
            <span className={rowName} title={group.name}>
              {group.name || 'Without a name'}
            </span>
            <span className={classes.count}>{formatCount(group.artifacts.length)} versions</span>
            {group.artifacts
              .filter(({ FileFault }) => FileFault)
              .slice(0, 1)
              .map((faulty) => (
                <FileFaultMark key="fault" artifact={faulty} />
              ))}
          </button>
        ) : (
          <span
            className={classes.name}
            data-inner={inner || undefined}
            data-marked={marked.has(artifact.ArtifactId) || undefined}
          >
            <Link {...dialog.link('details', artifact.ArtifactId)} className={rowName} title={artifact.Name}>
              {artifact.Name || 'Without a name'}
            </Link>
            {marked.has(artifact.ArtifactId) && <span className={classes.new}>New</span>}
            <FileFaultMark artifact={artifact} />
            {twins.has(artifact) && (
              <span className={classes.count} title="Another artifact has the same content: open this one to see which">
                Same content
              </span>
            )}
          </span>
        ),
    },
    {
      header: 'Version',
      width: '12%',
      phone: 'second',
      cell: ({ artifact: { Version } }) => <span title={Version}>{Version}</span>,
    },
    { header: 'Type', width: '6%', phone: 'hide', cell: ({ artifact }) => typeOf(artifact) },
    {
      header: 'Size',
      width: '9%',
      align: 'end',
      phone: 'end',
      cell: ({ artifact, group }) =>
        group ? <TotalSize artifacts={group.artifacts} /> : <ArtifactSize artifact={artifact} />,
    },
    ...(usage
      ? [
          {
            header: 'Jobs',
            width: '15%',
            phone: 'second' as const,
            cell: ({ artifact, group }: Row) => (
              <UsageCounts artifacts={group?.artifacts ?? [artifact]} usage={usage} />
            ),
          },
        ]
      : []),
    {
      header: 'Uploaded',
      width: '10%',
      phone: 'end',
      cell: ({ artifact }) => <ArtifactAge artifact={artifact} />,
    },
    ...(hasSums
      ? [
          {
            header: 'SHA-256',
            width: '152px',
            phone: 'hide' as const,
            cell: ({ artifact: { Sha256 }, group }: Row) =>
              group || !Sha256 ? null : <ShortId value={Sha256} what="SHA-256" />,
          },
        ]
      : []),
    {
      header: 'Actions',
      width: '136px',
      tools: true,
      cell: ({ artifact: { ArtifactId, Name, Version }, group }) =>
        // Closed, a group shows its newest; opened, each version has its own.
        group?.open ? null : (
          <span className={classes.tools}>
            <Button
              component={Link}
              to={paths.deploy({ artifact: ArtifactId })}
              variant="default"
              size="xs"
              aria-label={`Deploy ${Name} ${Version}`}
            >
              Deploy
            </Button>
            {!group && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Delete ${Name} ${Version}`}
                title="Delete"
                onClick={() => dialog.open('delete', ArtifactId)}
              >
                <IconTrash size={18} stroke={1.6} aria-hidden />
              </ActionIcon>
            )}
          </span>
        ),
    },
  ];
  return <VirtualTable name="Artifacts" columns={columns} rows={rows} rowKey={keyOf} />;
}

/** Of all versions; where only numbers without a unit are known there is nothing to add up. */
function TotalSize({ artifacts }: { artifacts: readonly Artifact[] }) {
  if (artifacts.some(({ SizeBytes }) => SizeBytes === undefined)) return <span className="dim">–</span>;
  const total = artifacts.reduce((sum, artifact) => sum + artifactBytes(artifact), 0);
  return <span title={`${formatCount(total)} bytes in all`}>{formatBytes(total)}</span>;
}
