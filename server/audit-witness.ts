// Evidence of the audit log outside the database, for somebody who can write there could compute every hash anew: the
// last hash in a file in DATA_DIR, and in the log of the service once an hour.
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from './store/system-fault.ts';
import { log } from './operation/log.ts';
import { syncFolder } from './store/artifact-files.ts';
import { DamagedMark, lastHashed, parseMark, printMark } from './store/audit-mark.ts';
import type { AuditMark } from './store/audit-mark.ts';
import type { Database, Reader } from './store/database.ts';
import { newId } from './store/ids.ts';

const HOUR_MS = 3_600_000;

export const witnessFile = (dataDir: string): string => path.join(dataDir, 'audit-mark');

/** What the file says; undefined if there is none. */
export async function readWitness(dataDir: string): Promise<AuditMark | undefined> {
  const file = witnessFile(dataDir);
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw cause;
  });
  if (text === undefined) return undefined;
  const mark = parseMark(text);
  if (!mark) throw new DamagedMark(`${file} is no number and hash of an entry: it was changed.`);
  return mark;
}

/**
 * Notes the last hash in the file, unless the log no longer holds what the file says: that is evidence, which stays until
 * somebody removes it. Returns whether it was noted.
 */
export async function noteWitness(db: Reader, dataDir: string): Promise<boolean> {
  const mark = await lastHashed(db);
  const noted = await readWitness(dataDir);
  if (noted) {
    const row = await db.get<{ hash: string }>('SELECT hash FROM audit_hashes WHERE audit_seq = ?', noted.seq);
    if (row?.hash !== noted.hash) return false;
  }
  if (mark.seq > (noted?.seq ?? 0)) await replace(witnessFile(dataDir), `${printMark(mark)}\n`);
  return true;
}

async function replace(file: string, text: string): Promise<void> {
  // Nodes may share the folder.
  const arriving = `${file}.${newId()}`;
  try {
    const handle = await open(arriving, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(arriving, file);
  } catch (cause) {
    await rm(arriving, { force: true });
    throw cause;
  }
  await syncFolder(path.dirname(file));
}

/** Runs at most once an hour. */
function hourly(run: () => void): () => void {
  let last = -Infinity;
  return () => {
    if (performance.now() - last < HOUR_MS) return;
    last = performance.now();
    run();
  };
}

/** Notes the last hash in the file at each call, and says once an hour if the log does not hold what the file says. */
export function openAuditWitness(db: Database, dataDir: string): () => Promise<void> {
  const complain = hourly(() =>
    log.error(
      `The audit log does not hold the entry that is noted in ${witnessFile(dataDir)}: the log was cut off or written anew, or the database was restored or replaced. Run: npm run audit -- verify`,
    ),
  );
  return async () => {
    if (!(await noteWitness(db, dataDir))) complain();
  };
}

/** Logs the last hash once an hour. */
export function openHashLog(db: Reader): () => Promise<void> {
  let mark: AuditMark | undefined;
  const write = hourly(() => log.info('audit log', { entry: mark?.seq, hash: mark?.hash }));
  return async () => {
    mark = await lastHashed(db);
    if (mark.seq > 0) write();
  };
}
