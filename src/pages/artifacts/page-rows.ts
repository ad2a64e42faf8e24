// The rows of an artifact's page: each stored version, and those that only devices still have, newest first.
import type { Artifact } from '#/contract/artifacts.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { compareVersions } from '#/lib/version-order.ts';
import type { RunsOn } from './versions/runs-on.ts';

export interface VersionRow {
  key: string;
  version: string;
  /** Undefined: it has been deleted, and still runs on devices. */
  artifact: Artifact | undefined;
}

const uploadedAt = ({ artifact }: VersionRow) => parseTimestamp(artifact?.CreatedTime ?? '')?.getTime() ?? 0;

export function versionRows(artifacts: readonly Artifact[], { versions }: RunsOn): VersionRow[] {
  const stored = new Set(artifacts.map(({ Version }) => Version));
  const rows: VersionRow[] = [
    ...artifacts.map((artifact) => ({ key: artifact.ArtifactId, version: artifact.Version, artifact })),
    ...versions.flatMap(({ version }) =>
      stored.has(version) ? [] : [{ key: `deleted ${version}`, version, artifact: undefined }],
    ),
  ];
  return rows.sort((one, two) => compareVersions(two.version, one.version) || uploadedAt(two) - uploadedAt(one));
}
