// The versions of an artifact with the devices that run each. A version opens to its facts and the Command that devices run.
import type { ReactNode } from 'react';
import { Button } from '@mantine/core';
import { IconChevronRight, IconTrash } from '@tabler/icons-react';
import { useMay } from '#/api/people.ts';
import { artifactEndpoints, type Artifact } from '#/contract/artifacts.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { CreatedBy } from '#/features/audit-link/origin.tsx';
import { useAuditLink } from '#/features/audit-link/use-audit-link.tsx';
import { maskToken } from '#/features/jobs/mask-token.ts';
import { paths } from '#/paths.ts';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { Gate } from '#/ui/controls/gate.tsx';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { Failure } from '#/ui/page/view.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { optional, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import type { VersionRow } from './page-rows.ts';
import {
  ArtifactAge,
  ArtifactSize,
  FileFaultMark,
  UsageCounts,
  fileFaultText,
  typeOf,
} from './versions/artifact-facts.tsx';
import type { UsageIndex } from './versions/artifact-usage.ts';
import type { RunsOn } from './versions/runs-on.ts';
import { VersionBar } from './versions/version-bar.tsx';
import classes from './artifact-page.module.css';

const versionUrl = urlSchema({ version: optional });

interface Row extends VersionRow {
  isOpen: boolean;
  /** The row below an open version, with its facts. */
  facts?: Artifact;
}

interface ArtifactVersionTableProps {
  name: string;
  rows: readonly VersionRow[];
  all: readonly Artifact[];
  /** Undefined where the service does not record which version runs where. */
  runs: RunsOn | undefined;
  counts: { error: Error | null; isFetching: boolean; refetch: () => unknown } | undefined;
  usage: UsageIndex;
  onDelete: (id: string) => void;
}

const keyOf = ({ key }: Row) => key;

export function ArtifactVersionTable(props: ArtifactVersionTableProps) {
  const { name, rows, all, runs, counts, usage, onDelete } = props;
  const [{ version: asked }, url] = useUrlState(versionUrl);
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const noDelete = useMay(artifactEndpoints.remove, 'Deleting artifacts');
  // The only version has nothing to be told apart from, so its facts are open from the start.
  const opened = asked ?? (rows.length === 1 ? rows[0]?.key : undefined);
  const shown = rows.flatMap((row): Row[] => {
    const isOpen = row.artifact !== undefined && row.key === opened;
    return [
      { ...row, isOpen },
      ...(isOpen && row.artifact ? [{ ...row, isOpen, key: `facts ${row.key}`, facts: row.artifact }] : []),
    ];
  });
  const columns: (Column<Row> | false)[] = [
    {
      header: 'Version',
      width: '22%',
      cell: ({ key, version, artifact, isOpen }) =>
        artifact ? (
          <span className="inline">
            <button
              type="button"
              className={classes.version}
              aria-expanded={isOpen}
              onClick={() => url.set({ version: isOpen ? '' : key })}
            >
              <IconChevronRight className="turns" size={16} stroke={1.6} aria-hidden />
              <bdi className={`${rowName} truncate`}>{version || 'Without a version'}</bdi>
            </button>
            <FileFaultMark artifact={artifact} />
          </span>
        ) : (
          <span className={classes.gone}>
            <bdi className="truncate">{version}</bdi> <span className={classes.deleted}>deleted</span>
          </span>
        ),
    },
    runs !== undefined && {
      header: 'Runs on',
      phone: 'wide',
      cell: ({ version }) => <VersionBar name={name} runs={runs} version={version} wide />,
    },
    usage !== undefined && {
      header: 'Jobs',
      width: '15%',
      phone: 'second',
      room: 'medium',
      cell: ({ artifact }) => artifact && <UsageCounts artifacts={[artifact]} usage={usage} />,
    },
    {
      header: 'Size',
      width: '92px',
      align: 'end',
      phone: 'hide',
      room: 'medium',
      cell: ({ artifact }) => artifact && <ArtifactSize artifact={artifact} />,
    },
    {
      header: 'Uploaded',
      width: '100px',
      phone: 'end',
      cell: ({ artifact }) => artifact && <ArtifactAge artifact={artifact} />,
    },
    {
      header: 'Actions',
      width: '136px',
      tools: true,
      cell: ({ artifact, version }) =>
        artifact && (
          <span className="snug">
            <Gate why={noDeploy}>
              <Button
                component={Link}
                to={paths.deploy({ artifact: artifact.ArtifactId })}
                variant="default"
                size="xs"
                aria-label={`Deploy ${name} ${version}`}
              >
                Deploy
              </Button>
            </Gate>
            <Gate why={noDelete}>
              <IconButton
                icon={IconTrash}
                iconSize={18}
                label={`Delete ${name} ${version}`}
                title="Delete"
                onClick={() => onDelete(artifact.ArtifactId)}
              />
            </Gate>
          </span>
        ),
    },
  ];
  return (
    <>
      {counts?.error && (
        <Failure
          what="which version runs where"
          error={counts.error}
          busy={counts.isFetching}
          onRetry={counts.refetch}
        />
      )}
      <DataTable
        name="Versions"
        columns={columns.filter((column) => column !== false)}
        rows={shown}
        rowKey={keyOf}
        fullRow={({ facts }) => facts && <Facts artifact={facts} all={all} />}
      />
    </>
  );
}

const Fact = ({ name, copy, children }: { name: string; copy?: string; children?: ReactNode }) => (
  <>
    <dt>{name}</dt>
    {copy === undefined ? (
      <dd>{children}</dd>
    ) : (
      <dd className="copied">
        <span className="mono">{copy}</span> <CopyButton value={copy} what={name === 'Id' ? 'artifact id' : name} />
      </dd>
    )}
  </>
);

function Facts({ artifact, all }: { artifact: Artifact; all: readonly Artifact[] }) {
  const { ArtifactId, Name, Version, Command, Sha256, Destination, RunCommand } = artifact;
  const fault = fileFaultText(artifact);
  const audit = useAuditLink(ArtifactId);
  const same = all.filter((other) => other !== artifact && Sha256 && other.Sha256 === Sha256);
  return (
    <div className={classes.facts} role="group" aria-label={`Details of ${Name} ${Version}`}>
      {fault !== undefined && (
        <p className={classes.fault} role="note">
          {fault}
        </p>
      )}
      <dl className={classes.list}>
        <Fact name="File">
          <bdi>{Name || 'Without a name'}</bdi>, {typeOf(artifact)}
        </Fact>
        <Fact name="Uploaded">
          <ArtifactAge artifact={artifact} />
          <CreatedBy object={ArtifactId} />
          {audit && <> · {audit}</>}
        </Fact>
        <Fact name="Id" copy={ArtifactId} />
        {Sha256 && <Fact name="SHA-256" copy={Sha256} />}
        {Destination && <Fact name="Folder" copy={Destination} />}
        {RunCommand && <Fact name="Runs" copy={RunCommand} />}
        {same.length > 0 && (
          <Fact name="Same content">
            {same.map((other) => (
              <Link key={other.ArtifactId} to={paths.artifact(other.ArtifactId)} className={classes.same}>
                <bdi>{`${other.Name} ${other.Version}`}</bdi>
              </Link>
            ))}
          </Fact>
        )}
      </dl>
      {Command && (
        <div className={classes.command}>
          <CommandLine label="Command" command={Command} shown={maskToken(Command, [Name, ArtifactId, Sha256])} />
          <p className="dim">
            What a device runs. Its token is hidden here but included when you copy: anyone who has it can download this
            artifact.
          </p>
        </div>
      )}
    </div>
  );
}
