// `npm run move -- --to PLACE…`: copies everything that a stopped service stores to PostgreSQL, an S3 store or a new
// folder, and compares it.
import { parseArgs } from 'node:util';
import { ConfigError } from './config-error.ts';
import { moveData } from './move/move-data.ts';
import { nextSteps } from './move/next-steps.ts';
import { artifactsAt, planMove, tablesAt } from './move/places.ts';

const USAGE = `Usage: npm run move -- --to PLACE [PLACE]
  PLACE   postgres://user@host:5432/database   for the tables
          s3://bucket/prefix                   for the artifacts
          /a/new/folder                        for what the other place is not for
  The environment names where everything is now, as for the service: DATA_DIR, DATABASE_URL,
  ARTIFACT_STORE_URL. AWS_… are for both sides. The service must be stopped.`;
let hasBegun = false;
try {
  const plan = planMove(process.env, readTargets());
  hasBegun = true;
  const { from, to, movesTables, movesArtifacts } = plan;
  const part = (moves: boolean, what: string, before: string, after: string) =>
    console.log(moves ? `${what}: ${before} → ${after}` : `${what} stay in ${before}`);
  part(movesTables, 'Tables', tablesAt(from.tables), tablesAt(to.tables));
  part(movesArtifacts, 'Artifacts', artifactsAt(from.artifacts), artifactsAt(to.artifacts));

  const { rows, artifacts, changed } = await moveData(plan, (line) => console.log(line));
  if (changed.count > 0) {
    console.log(
      `In ${changed.count} rows, characters that PostgreSQL can't store (U+0000, and what is no character) are U+FFFD now:`,
    );
    for (const row of changed.names) console.log(`  ${row}`);
    if (changed.count > changed.names.length) console.log(`  and ${changed.count - changed.names.length} more`);
  }
  console.log(`Done: ${rows} rows and ${artifacts} artifacts were copied and compared.`);
  for (const line of nextSteps(plan)) console.log(line);
} catch (cause) {
  if (!(cause instanceof ConfigError)) throw cause;
  console.error(cause.message);
  if (hasBegun) console.error('The move is not complete. The source is unchanged.');
  process.exitCode = 1;
}

function readTargets(): string[] {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { to: { type: 'string', multiple: true } },
    });
    const targets = [...(values.to ?? []), ...positionals].map((target) => target.trim()).filter((target) => target);
    if (values.to && targets.length > 0) return targets;
  } catch {
    // The usage explains it.
  }
  throw new ConfigError(USAGE);
}
