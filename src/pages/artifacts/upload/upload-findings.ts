// What a planned upload conflicts with in the account and the registry, before it is sent, and what would make room for
// it.
import type { Account } from '#/contract/account.ts';
import type { Artifact } from '#/contract/artifacts.ts';
import { formatBytes } from '#/lib/format.ts';
import { isNeeded, type UsageIndex } from '#/pages/artifacts/versions/artifact-usage.ts';
import { groupVersions } from '#/pages/artifacts/versions/artifact-versions.ts';
import type { Finding } from '#/pages/artifacts/inspect/finding.ts';

/** Bytes that the account may still store; undefined where the service does not report it. */
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

/** The true size; 0 where only a number without a unit is known. */
export const artifactBytes = ({ SizeBytes = 0 }: Artifact): number => SizeBytes;

/**
 * What could go to make room, in the order in which it is missed least: old versions that no job waits for or runs, then
 * the newest ones of which the same holds; the largest first. What is needed is never among them.
 */
export function spareArtifacts(artifacts: readonly Artifact[], usage: UsageIndex): Artifact[] {
  const newest = new Set(groupVersions(artifacts).map((group) => group.artifacts[0]));
  const rank = (artifact: Artifact) => (newest.has(artifact) ? 1 : 0);
  return artifacts
    .filter((artifact) => !isNeeded(usage, artifact))
    .toSorted((a, b) => rank(a) - rank(b) || artifactBytes(b) - artifactBytes(a));
}
