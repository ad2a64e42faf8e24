// Conflicts of an upload with the account and the registry, and what could be deleted to make space for it.
import type { Account } from '#/contract/account.ts';
import type { Artifact } from '#/contract/artifacts.ts';
import { formatBytes } from '#/lib/format.ts';
import { isNeeded, type UsageIndex } from '#/pages/artifacts/versions/artifact-usage.ts';
import { groupVersions } from '#/pages/artifacts/versions/artifact-versions.ts';
import type { Finding } from '#/pages/artifacts/inspect/finding.ts';

/** Bytes that the account may still store; undefined if the service does not report them. */
export const roomLeft = (account: Account | undefined): number | undefined =>
  account?.ArtifactBytesLimit === undefined || account.ArtifactBytesUsed === undefined
    ? undefined
    : Math.max(0, account.ArtifactBytesLimit - account.ArtifactBytesUsed);

export function uploadFindings(
  { name, size, version, sha256 }: { name: string; size: number; version: string; sha256: string | undefined },
  account: Account | undefined,
  artifacts: readonly Artifact[],
): Finding[] {
  const findings: Finding[] = [];
  const room = roomLeft(account);
  if (room !== undefined && size > room)
    findings.push({
      level: 'error',
      text: room === 0 ? 'The storage is full' : `The storage has room for ${formatBytes(room)} only`,
      fix: 'Delete artifacts you no longer deploy.',
    });
  if (version !== '' && artifacts.some(({ Name, Version }) => Name === name && Version === version))
    findings.push({
      level: 'warning',
      text: `${name} ${version} already exists`,
      fix: 'A second one with the same name and version is hard to tell apart: use a new version.',
    });
  const same = sha256 && artifacts.find(({ Sha256 }) => Sha256?.toLowerCase() === sha256);
  if (same)
    findings.push({
      level: 'warning',
      text: `The same content is in the registry as ${same.Name} ${same.Version}`,
      artifact: same.ArtifactId,
      fix: 'Deploy that one unless you need another name or version.',
    });
  return findings;
}

/** The size in bytes; 0 if it is only known as a number without a unit. */
export const artifactBytes = ({ SizeBytes = 0 }: Artifact): number => SizeBytes;

/**
 * The artifacts that could be deleted to make space, the least important first: old versions before the newest, and
 * larger before smaller ones. Those that a job waits for or runs are left out.
 */
export function spareArtifacts(artifacts: readonly Artifact[], usage: UsageIndex): Artifact[] {
  const newest = new Set(groupVersions(artifacts).map((group) => group.artifacts[0]));
  const rank = (artifact: Artifact) => (newest.has(artifact) ? 1 : 0);
  return artifacts
    .filter((artifact) => !isNeeded(usage, artifact))
    .toSorted((a, b) => rank(a) - rank(b) || artifactBytes(b) - artifactBytes(a));
}
