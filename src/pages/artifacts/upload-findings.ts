// What the account and the registry say about a planned upload, before it is sent.
import type { Account } from '#/contract/account.ts';
import type { Artifact } from '#/contract/artifacts.ts';
import { formatBytes } from '#/ui/format.ts';
import type { Finding } from './finding.ts';

/** Bytes that the account may still store; undefined where the service does not tell. */
export const roomLeft = (account: Account | undefined): number | undefined =>
  account?.ArtifactBytesLimit === undefined || account.ArtifactBytesUsed === undefined
    ? undefined
    : Math.max(0, account.ArtifactBytesLimit - account.ArtifactBytesUsed);

export function uploadFindings(
  file: { name: string; size: number },
  version: string,
  account: Account | undefined,
  artifacts: readonly Artifact[],
): Finding[] {
  const findings: Finding[] = [];
  const room = roomLeft(account);
  if (room !== undefined && file.size > room)
    findings.push({
      level: 'error',
      text: room === 0 ? 'The storage is full' : `The storage has room for ${formatBytes(room)} only`,
      mend: 'Delete artifacts below that are not deployed any more.',
    });
  if (version !== '' && artifacts.some(({ Name, Version }) => Name === file.name && Version === version))
    findings.push({
      level: 'warning',
      text: `${file.name} ${version} is in the registry already`,
      mend: 'This makes a second one of the same name and version: a new version keeps them apart.',
    });
  return findings;
}
