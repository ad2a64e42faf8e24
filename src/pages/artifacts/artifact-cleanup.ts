// Which artifacts are deleted when only the newest versions of each name remain.
import type { Artifact } from '#/contract/artifacts.ts';
import { isNeeded, type UsageIndex } from './versions/artifact-usage.ts';
import { groupVersions } from './versions/artifact-versions.ts';
import { artifactBytes } from './upload/upload-findings.ts';

export function planCleanup(artifacts: readonly Artifact[], keep: number, usage: UsageIndex) {
  const old = groupVersions(artifacts).flatMap((group) => group.artifacts.slice(keep));
  const going = old.filter((artifact) => !isNeeded(usage, artifact));
  return {
    /** Old versions that no job waits for or runs, as far as the service reports. */
    going,
    /** Old versions that a job still needs. */
    needed: old.filter((artifact) => isNeeded(usage, artifact)),
    /** In bytes. */
    frees: going.reduce((sum, artifact) => sum + artifactBytes(artifact), 0),
  };
}
