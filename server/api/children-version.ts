// Versions of the lists of children. Each moves with the children of its own parent only, so that a reader of one job is
// not answered again because of others.
import { changesBetween, currentPosition, printPosition } from '../store/changes.ts';
import type { Position } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { outputOfOpenChildren } from '../store/job-output.ts';

interface Known {
  version: string;
  /** Up to here nothing has changed since. */
  at: Position;
}

/** Parents that are remembered; of another one the list is sent once more than necessary. */
const MOST_KNOWN = 500;

/** The version of what the children of a parent are now, or were just before. */
export type ChildrenVersion = (accountId: number, parentSeq: number) => Promise<string>;

export function openChildrenVersions(db: Database): ChildrenVersion {
  const known = new Map<number, Known>();
  return async (accountId, parentSeq) => {
    const at = await currentPosition(db);
    const before = known.get(parentSeq);
    const changes = before && (await changesBetween(db, accountId, before.at, at, parentSeq));
    const version = changes?.length === 0 && before ? before.version : printPosition(at);
    // The latest are last.
    known.delete(parentSeq);
    known.set(parentSeq, { version, at });
    const [oldest] = known.keys();
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    // Output that arrives is not in the log of changes.
    return `${version}.${await outputOfOpenChildren(db, parentSeq)}`;
  };
}
