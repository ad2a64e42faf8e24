// The registry as a table: the versions of an artifact are grouped under one row, the latest upload first.
import { useMemo, useState } from 'react';
import { Button } from '@mantine/core';
import { IconChevronRight, IconTrash } from '@tabler/icons-react';
import { artifactEndpoints, type Artifact } from '#/contract/artifacts.ts';
import { ruleNameOf } from '#/contract/rule-name.ts';
import { paths } from '#/paths.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { ShortId } from '#/ui/controls/copy-button.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { formatBytes, formatCount } from '#/lib/format.ts';
import { toggled } from '#/lib/toggled.ts';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { Link } from '#/ui/url/link.tsx';
import {
  ArtifactAge,
  ArtifactSize,
  FileFaultMark,
  UsageCounts,
  typeOf,
  type ArtifactDialog,
} from './versions/artifact-facts.tsx';
import { NOWHERE, type RunsOn } from './versions/runs-on.ts';
import { VersionBar } from './versions/version-bar.tsx';
import type { UsageIndex } from './versions/artifact-usage.ts';
import type { ArtifactVersions } from './versions/artifact-versions.ts';
import { artifactBytes } from './upload/upload-findings.ts';
import classes from './versions/artifact-table.module.css';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

/** `group` set: the row of several versions; `parent`: the key of that row, for one of them below it. */
interface Row {
  key: string;
  /** Its own, or the newest of the group. */
  artifact: Artifact;
  group?: ArtifactVersions & { open: boolean };
  parent?: string;
}

/** Its page. `isOpen`: with the facts of this version. */
const pageOf = ({ ArtifactId, Name, Version }: Artifact, isOpen = false) =>
  paths.artifact(ruleNameOf(Name, Version) || ArtifactId, isOpen ? ArtifactId : undefined);

interface ArtifactTableProps {
  groups: readonly ArtifactVersions[];
  /** Groups are open by default, as the result of a search. */
  opened: boolean;
  dialog: Dialog<ArtifactDialog>;
  /** Ids of those that were just uploaded. */
  marked: ReadonlySet<string>;
  usage: UsageIndex;
  /** By name; undefined where the service does not record which version runs where. */
  runs: ReadonlyMap<string, RunsOn> | undefined;
  /** Artifacts with the same content as another one. */
  twins: ReadonlySet<Artifact>;
}

const keyOf = ({ key }: Row) => key;
const parentOf = ({ parent }: Row) => parent;

function rowsOf(groups: readonly ArtifactVersions[], isOpen: (name: string) => boolean): Row[] {
  return groups.flatMap((group): Row[] => {
    const [newest] = group.artifacts;
    if (!newest) return [];
    if (group.artifacts.length === 1) return [{ key: newest.ArtifactId, artifact: newest }];
    const open = isOpen(group.name);
    const head: Row = { key: `group ${group.name}`, artifact: newest, group: { ...group, open } };
    if (!open) return [head];
    return [head, ...group.artifacts.map((artifact) => ({ key: artifact.ArtifactId, artifact, parent: head.key }))];
  });
}

export function ArtifactTable({ groups, opened, dialog, marked, usage, runs, twins }: ArtifactTableProps) {
  // The groups that the user toggled from their default.
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const [before, setBefore] = useState(opened);
  if (before !== opened) {
    setBefore(opened);
    setChanged(new Set());
  }
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const noDelete = useMay(artifactEndpoints.remove, 'Deleting artifacts');
  const toggle = (name: string) => setChanged((now) => toggled(now, name));
  const rows = useMemo(() => rowsOf(groups, (name) => changed.has(name) !== opened), [groups, changed, opened]);
  const hasSums = groups.some(({ artifacts }) => artifacts.some(({ Sha256 }) => Sha256));

  const columns: (Column<Row> | false)[] = [
    {
      header: 'Name',
      cell: ({ artifact, group, parent }) =>
        group ? (
          <span className={classes.group}>
            <button
              type="button"
              className={classes.toggle}
              aria-expanded={group.open}
              aria-label={`${group.name || 'Without a name'} ${formatCount(group.artifacts.length)} versions`}
              onClick={() => toggle(group.name)}
            >
              <IconChevronRight className="turns" size={16} stroke={1.6} aria-hidden />
            </button>
            <Link to={pageOf(artifact)} className={rowName}>
              <MiddleEllipsis text={group.name || 'Without a name'} />
            </Link>
            <span className={classes.count}>{formatCount(group.artifacts.length)} versions</span>
            <FileFaultMark artifact={group.artifacts.find(({ FileFault }) => FileFault)} />
          </span>
        ) : (
          <span
            className={classes.name}
            data-inner={parent !== undefined || undefined}
            data-marked={marked.has(artifact.ArtifactId) || undefined}
          >
            <Link to={pageOf(artifact, true)} className={rowName}>
              <MiddleEllipsis text={artifact.Name || 'Without a name'} />
            </Link>
            {marked.has(artifact.ArtifactId) && <span className={classes.new}>New</span>}
            <FileFaultMark artifact={artifact} />
            {twins.has(artifact) && (
              <span className={classes.count} title="Same content as another artifact: open this one to see which">
                Same content
              </span>
            )}
          </span>
        ),
    },
    {
      header: 'Version',
      width: '10%',
      phone: 'second',
      cell: ({ artifact: { Version } }) => <span title={Version}>{Version}</span>,
    },
    { header: 'Type', width: '78px', phone: 'hide', room: 'wide', cell: ({ artifact }) => typeOf(artifact) },
    {
      header: 'Size',
      width: '92px',
      align: 'end',
      phone: 'end',
      cell: ({ artifact, group }) =>
        group ? <TotalSize artifacts={group.artifacts} /> : <ArtifactSize artifact={artifact} />,
    },
    runs !== undefined && {
      header: 'Runs on',
      width: '15%',
      room: 'medium',
      phone: 'second',
      cell: ({ artifact: { Name, Version }, group }) => {
        const name = ruleNameOf(Name, Version);
        const own = runs.get(name) ?? NOWHERE;
        return <VersionBar name={name} runs={own} {...(!group && { version: Version })} />;
      },
    },
    usage !== undefined && {
      header: 'Jobs',
      width: '15%',
      phone: 'second',
      cell: ({ artifact, group }) => <UsageCounts artifacts={group?.artifacts ?? [artifact]} usage={usage} />,
    },
    {
      header: 'Uploaded',
      width: '92px',
      phone: 'second',
      cell: ({ artifact }) => <ArtifactAge artifact={artifact} />,
    },
    hasSums && {
      header: 'SHA-256',
      width: '152px',
      room: 'wide',
      phone: 'hide',
      cell: ({ artifact: { Sha256 }, group }) => (group || !Sha256 ? null : <ShortId value={Sha256} what="SHA-256" />),
    },
    {
      header: 'Actions',
      width: '136px',
      tools: true,
      cell: ({ artifact: { ArtifactId, Name, Version }, group }) =>
        // A closed group deploys its newest version; in an open one each version has its own button.
        group?.open ? null : (
          <span className={classes.tools}>
            <Gate why={noDeploy}>
              <Button
                component={Link}
                to={paths.deploy({ artifact: ArtifactId })}
                variant="default"
                size="xs"
                aria-label={`Deploy ${Name} ${Version}`}
              >
                Deploy
              </Button>
            </Gate>
            {!group && (
              <Gate why={noDelete}>
                <IconButton
                  icon={IconTrash}
                  iconSize={18}
                  label={`Delete ${Name} ${Version}`}
                  title="Delete"
                  onClick={() => dialog.open('delete', ArtifactId)}
                />
              </Gate>
            )}
          </span>
        ),
    },
  ];
  return (
    <VirtualTable
      name="Artifacts"
      columns={columns.filter((column) => column !== false)}
      rows={rows}
      rowKey={keyOf}
      parentOf={parentOf}
    />
  );
}

/** The total of all versions, unless a size is only known as a number without a unit. */
function TotalSize({ artifacts }: { artifacts: readonly Artifact[] }) {
  if (artifacts.some(({ SizeBytes }) => SizeBytes === undefined)) return <span className="dim">–</span>;
  const total = artifacts.reduce((sum, artifact) => sum + artifactBytes(artifact), 0);
  return <span title={`${formatCount(total)} bytes in all`}>{formatBytes(total)}</span>;
}
