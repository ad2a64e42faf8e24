// The facts of an artifact as every view of it says them.
import type { Artifact } from '#/contract/artifacts.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { formatBytes, formatCount } from '#/ui/format.ts';
import { Time } from '#/ui/time.tsx';

export type ArtifactDialog = 'details' | 'delete' | 'old' | 'rules' | 'build';

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

export const ArtifactAge = ({ artifact: { CreatedTime } }: { artifact: Artifact }) => (
  <Time at={parseTimestamp(CreatedTime)} raw={CreatedTime} />
);
