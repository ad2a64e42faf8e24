// Artifacts that are versions of one program: the same file name, whether or not the version is in it.
import type { Artifact } from '#/contract/artifacts.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/**
 * The name without its version, where it holds the very version that the artifact has: `myapp_1.2.0.tar.gz` as 1.2.0 is
 * `myapp.tar.gz`, while `sensor-2.sh` as 1.0.0 stays what it is: there the 2 may well be the sensor's.
 */
export function nameWithout(version: string, name: string): string {
  const bare = version.replace(/^v(?=\d)/i, '');
  if (bare === '' || !name.includes(bare)) return name;
  const short = name.replace(new RegExp(`(^|[-_ .])v?${escaped(bare)}(?=$|[-_ .+])`, 'i'), '');
  return /^[-_ .]*(\.|$)/.test(short) ? name : short;
}

const timeOf = ({ CreatedTime }: Artifact) => parseTimestamp(CreatedTime)?.getTime() ?? -1;

/** Newest first; those whose time cannot be read last. */
function newestFirst(artifacts: readonly Artifact[]): Artifact[] {
  const times = new Map(artifacts.map((artifact) => [artifact, timeOf(artifact)]));
  return artifacts.toSorted((a, b) => (times.get(b) ?? -1) - (times.get(a) ?? -1));
}

export interface ArtifactVersions {
  /** What the versions have in common; unique among all. */
  name: string;
  /** Newest first; at least one. */
  artifacts: Artifact[];
}

/** The artifacts by name, the one with the newest version first. */
export function groupVersions(artifacts: readonly Artifact[]): ArtifactVersions[] {
  const groups = new Map<string, Artifact[]>();
  for (const artifact of newestFirst(artifacts)) {
    const name = nameWithout(artifact.Version, artifact.Name);
    const group = groups.get(name);
    if (group) group.push(artifact);
    else groups.set(name, [artifact]);
  }
  return Array.from(groups, ([name, members]) => ({ name, artifacts: members }));
}

/**
 * The groups in which `wanted` is found. A name that holds it brings all of its versions, anything else (a version, an id,
 * a SHA-256) only those. `always`: ids of those that stay in sight.
 */
export function searchVersions(
  groups: readonly ArtifactVersions[],
  wanted: string,
  always: ReadonlySet<string> = new Set(),
): ArtifactVersions[] {
  const part = wanted.trim().toLowerCase();
  if (part === '') return [...groups];
  const isIt = ({ ArtifactId, Name, Version, Sha256 }: Artifact) =>
    always.has(ArtifactId) ||
    ArtifactId.toLowerCase() === part ||
    `${Name} ${Version}`.toLowerCase().includes(part) ||
    (part.length > 5 && (Sha256?.toLowerCase().startsWith(part) ?? false));
  return groups.flatMap((group) => {
    if (group.name.toLowerCase().includes(part)) return [group];
    const artifacts = group.artifacts.filter(isIt);
    return artifacts.length > 0 ? [{ ...group, artifacts }] : [];
  });
}

/** Those whose content another one has, too, as far as the service reports sums. */
export function sharedContent(artifacts: readonly Artifact[]): Set<Artifact> {
  const bySum = Map.groupBy(
    artifacts.filter(({ Sha256 }) => Sha256),
    ({ Sha256 = '' }) => Sha256.toLowerCase(),
  );
  return new Set([...bySum.values()].filter(({ length }) => length > 1).flat());
}

/** 1.2.3 → 1.2.4, 2.0-rc.1 → 2.0-rc.2, 2026.09 → 2026.10; '' for what is no row of numbers, a commit's hash for example. */
export function nextVersion(version: string): string {
  if (!/^v?\d+(\.\d+)*([-+._~][\w.+~-]*)?$/i.test(version)) return '';
  return version.replace(/\d+(?=\D*$)/, (digits) => {
    const next = (BigInt(digits) + 1n).toString();
    return digits.startsWith('0') ? next.padStart(digits.length, '0') : next;
  });
}

/** The version after the last that was uploaded under this name, and not taken yet; '' where there is none. */
export function suggestedVersion(name: string, artifacts: readonly Artifact[]): string {
  const own = artifacts.filter(({ Name, Version }) => Name === name || nameWithout(Version, Name) === name);
  const taken = new Set(own.map(({ Version }) => Version));
  let version = nextVersion(newestFirst(own)[0]?.Version ?? '');
  while (taken.has(version)) version = nextVersion(version);
  return version;
}
