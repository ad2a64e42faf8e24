// Finds waiting jobs that are better cancelled than run: too old, superseded by a newer version of the same artifact behind
// them, or with a deleted artifact.
import type { Artifact } from '#/contract/artifacts.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { ruleNameOf } from '#/contract/rule-name.ts';
import { counted } from '#/lib/format.ts';

export type StaleReason =
  /** Has waited longer than the limit. */
  | { kind: 'old'; days: number }
  /** `by`: the newer version that waits behind it. */
  | { kind: 'superseded'; by: string }
  /** Its artifact was deleted: it would fail. */
  | { kind: 'deleted' };
export type StaleKind = StaleReason['kind'];

export const STALE_KINDS: Record<StaleKind, string> = {
  old: 'Waiting too long',
  superseded: 'Superseded',
  deleted: 'Artifact deleted',
};

/** The parts of a queued job that decide whether it is stale. */
export interface Waiting {
  state: string;
  ArtifactId: string | undefined;
  /** When it was submitted, in milliseconds since the epoch; undefined if unknown. */
  created: number | undefined;
}

interface Version {
  id: string;
  /** The name shared by all versions. */
  name: string;
  /** "app.tar.gz 1.2.0" */
  text: string;
  /** When it was uploaded; NaN if unreadable. */
  at: number;
}

export type VersionMap = ReadonlyMap<string, Version>;

export interface StaleRules {
  now: number;
  /** Days that a job may wait. */
  days: number;
  versions: VersionMap;
  /** Ids of artifacts that certainly no longer exist. */
  deleted: ReadonlySet<string>;
}

export const DAY = 86_400_000;

export const versionsOf = (artifacts: readonly Artifact[]): VersionMap =>
  new Map(
    artifacts.map(({ ArtifactId: id, Name, Version, CreatedTime }) => [
      id,
      {
        id,
        name: ruleNameOf(Name, Version),
        text: [Name, Version].filter(Boolean).join(' '),
        at: parseTimestamp(CreatedTime)?.getTime() ?? Number.NaN,
      },
    ]),
  );

/** The stale jobs of one device's queue, in its order, with all reasons. A running job is never stale. */
export function staleIn<Job extends Waiting>(queue: readonly Job[], rules: StaleRules): Map<Job, StaleReason[]> {
  const { now, days, versions, deleted } = rules;
  /** By name, the newest version that waits behind the current entry. */
  const behind = new Map<string, Version>();
  const found: [Job, StaleReason[]][] = [];
  for (const job of queue.toReversed()) {
    if (job.state !== 'Waiting') continue;
    const { ArtifactId: id, created } = job;
    const reasons: StaleReason[] = [];
    if (id && deleted.has(id)) reasons.push({ kind: 'deleted' });
    const version = id ? versions.get(id) : undefined;
    if (version) {
      const newest = behind.get(version.name);
      // An older version behind it is a deliberate downgrade, and no reason.
      if (newest && newest.at > version.at) reasons.push({ kind: 'superseded', by: newest.text });
      if (!newest || version.at > newest.at) behind.set(version.name, version);
    }
    const age = created === undefined ? 0 : now - created;
    if (age > days * DAY) reasons.push({ kind: 'old', days: Math.floor(age / DAY) });
    if (reasons.length > 0) found.push([job, reasons]);
  }
  return new Map(found.toReversed());
}

/** "superseded by app 1.3.0 behind it" */
export function staleText(reason: StaleReason): string {
  switch (reason.kind) {
    case 'old':
      return `waits for ${counted(reason.days, 'day')}`;
    case 'superseded':
      return `superseded by ${reason.by} behind it`;
    case 'deleted':
      return 'its artifact was deleted: it would fail';
  }
}

/** All reasons as one sentence, for a table or a file. */
export const staleTexts = (reasons: readonly StaleReason[]): string => {
  const text = reasons.map(staleText).join('; ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};
