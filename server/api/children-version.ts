// Versions of the lists of children. A version changes only with the children of its own parent, so that a reader of
// one job gets no new response because of others.
import { changesBetween, currentPosition, printPosition } from '../store/changes.ts';
import type { Position } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { outputOfOpenChildren } from '../store/job-output.ts';
import { scopeVersion } from '../store/job-scope.ts';
import type { Scope } from '../store/scope.ts';

interface Known {
  version: string;
  /** The position up to which the version is known to be unchanged. */
  at: Position;
}

/** Remembered parents; the list of any other one is sent once more than necessary. */
const MAX_KNOWN = 500;

/** The version of the children of a parent as they are now, or were a moment ago. */
export type ChildrenVersion = (scope: Scope, parentSeq: number) => Promise<string>;

export function openChildrenVersions(db: Database): ChildrenVersion {
  const known = new Map<number, Known>();
  return async (scope, parentSeq) => {
    const at = await currentPosition(db);
    const before = known.get(parentSeq);
    const changes = before && (await changesBetween(db, scope.accountId, before.at, at, parentSeq));
    const version = changes?.length === 0 && before ? before.version : printPosition(at);
    // Keeps the most recently used parents last.
    known.delete(parentSeq);
    known.set(parentSeq, { version, at });
    const [oldest] = known.keys();
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    // Arriving output is not in the change log.
    const output = await outputOfOpenChildren(db, scope, parentSeq);
    return `${version}.${output}${await scopeVersion(db, scope)}`;
  };
}
