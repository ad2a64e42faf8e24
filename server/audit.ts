// `npm run audit -- verify [HASH]`: computes the chain of hashes of the audit log again, beside a running service or
// without one, and changes nothing. Exits with 1 if an entry was changed, added or removed. A HASH that was noted before
// must be in the chain: what can be found without it is in docs/operation.md.
import { ConfigError } from './config-error.ts';
import { readConfig } from './config.ts';
import { openExisting } from './open-existing.ts';
import { readWitness, witnessFile } from './audit-witness.ts';
import { verifyAudit } from './store/audit-log.ts';

const USAGE = `Usage: npm run audit -- verify [HASH]
HASH: a hash from the log of the service ("audit log entry=… hash=…"), or the last one of an earlier run.`;

const [command, expected, ...rest] = process.argv.slice(2);
if (command !== 'verify' || rest.length > 0 || (expected !== undefined && !/^[0-9a-f]{64}$/.test(expected))) {
  console.error(USAGE);
  process.exitCode = 1;
} else
  try {
    await verify(expected);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    console.error(cause instanceof ConfigError ? why : `The audit log could not be verified: ${why}`);
    process.exitCode = 1;
  }

async function verify(noted: string | undefined): Promise<void> {
  const config = readConfig(process.env);
  const db = await openExisting(config);
  try {
    const witness = await readWitness(config.dataDir);
    const { entries, newer, last, fault, found, witnessed } = await verifyAudit(db, { expected: noted, witness });
    const problems = [];
    if (fault !== undefined) problems.push(fault);
    else if (!witnessed)
      problems.push(
        `The log does not hold entry ${witness?.seq} as it is noted in ${witnessFile(config.dataDir)}: the log was cut off or written anew, or the database was restored or replaced. If you did that, remove the file: the service makes a new one.`,
      );
    if (!found) problems.push('The given hash is not in the log: the entry that had it was removed or changed.');
    for (const problem of problems) console.error(problem);
    console.log(`${entries} entries are as they were written. Hash of the last one: ${last || 'none'}`);
    if (newer > 0) console.log(`${newer} newer ones have no hash yet: a running service adds it within seconds.`);
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    await db.close();
  }
}
