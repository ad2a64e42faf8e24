// The facts of an artifact, the same in every view of it.
import type { Artifact } from '#/contract/artifacts.ts';
import { devicesText, formatBytes, formatCount } from '#/lib/format.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { usageIn, type UsageIndex } from './artifact-usage.ts';
import classes from './artifact-table.module.css';

export type ArtifactDialog = 'delete' | 'old' | 'build';

export const typeOf = ({ IsScript }: Artifact): string => (IsScript ? 'script' : 'tar.gz');

/** The size in bytes, or else the number that was given on upload, in an unknown unit. */
export function ArtifactSize({ artifact: { SizeBytes, Size } }: { artifact: Artifact }) {
  if (SizeBytes !== undefined) return <span title={`${formatCount(SizeBytes)} bytes`}>{formatBytes(SizeBytes)}</span>;
  return (
    <span title="As given on upload, in a unit the service does not report">
      {Size === undefined ? '–' : formatCount(Size)}
    </span>
  );
}

/** What is wrong with the file on the service, and what to do; undefined if it is intact. */
export const fileFaultText = ({ FileFault }: Artifact): string | undefined =>
  FileFault &&
  `Its file is ${FileFault === 'Missing' ? 'missing' : 'damaged'} on the service, so jobs with it fail. Upload the file again, then delete this one.`;

export function FileFaultMark({ artifact }: { artifact: Artifact | undefined }) {
  if (!artifact?.FileFault) return null;
  return (
    <span className={classes.fault} title={fileFaultText(artifact)}>
      {artifact.FileFault === 'Missing' ? 'File missing' : 'File damaged'}
    </span>
  );
}

export const ArtifactAge = ({ artifact: { CreatedTime } }: { artifact: Artifact }) => <Timestamp text={CreatedTime} />;

/**
 * The number of jobs that use artifacts, waiting ones first because deleting would break them, and on how many devices
 * they failed.
 */
export function UsageCounts({ artifacts, usage }: { artifacts: readonly Artifact[]; usage: NonNullable<UsageIndex> }) {
  const counts = (['waiting', 'running', 'done'] as const).flatMap((state) => {
    const jobs = artifacts.reduce((sum, artifact) => sum + usageIn(usage, artifact)[state].length, 0);
    return jobs > 0 ? [`${formatCount(jobs)} ${state}`] : [];
  });
  if (counts.length === 0) return <span className="dim">no jobs</span>;
  const failed = artifacts.reduce((sum, artifact) => sum + usageIn(usage, artifact).failedDevices, 0);
  const title = `Jobs: ${counts.join(', ')}${failed > 0 ? `; failed on ${devicesText(failed)}` : ''}`;
  return (
    <span title={title}>
      {counts.join(' · ')}
      {failed > 0 && <span className="danger"> · {formatCount(failed)} failed</span>}
    </span>
  );
}
