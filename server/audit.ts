// `npm run audit -- verify [HASH]`: computes the chain of hashes of the audit log again, beside a running service or
// without one. Exits with 1 if an entry was changed, added or removed. A HASH that was noted before must be in the chain:
// without it a log that was cut off at its end, or written anew as a whole, is not noticed.
import { ConfigError } from './config-error.ts';
import { readConfig } from './config.ts';
import { openExisting } from './open-existing.ts';
import { hashAudit, verifyAudit } from './store/audit-log.ts';

const USAGE = 'Usage: npm run audit -- verify [HASH]\nHASH: the last hash of an earlier run, noted elsewhere.';

const [command, expected, ...rest] = process.argv.slice(2);
if (command !== 'verify' || rest.length > 0 || (expected !== undefined && !/^[0-9a-f]{64}$/.test(expected))) {
  console.error(USAGE);
  process.exitCode = 1;
} else
  try {
    await verify(expected);
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    console.error(cause.message);
    process.exitCode = 1;
  }

async function verify(noted: string | undefined): Promise<void> {
  const db = await openExisting(readConfig(process.env));
  try {
    await hashAudit(db);
    const { entries, last, fault, found } = await verifyAudit(db, noted);
    const missing = found
      ? undefined
      : 'The given hash is not in the log: the entry that had it was removed or changed.';
    for (const problem of [fault, missing]) if (problem !== undefined) console.error(problem);
    console.log(`${entries} entries are as they were written. Hash of the last one: ${last || 'none'}`);
    if (fault !== undefined || missing !== undefined) process.exitCode = 1;
  } finally {
    await db.close();
  }
}
