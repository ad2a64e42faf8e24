// `npm run mutations`: breaks the code on purpose, one line at a time in a copy of the working tree, and says which of
// these mutations no test of its area notices. It exits with 1 if there is one, or if an entry of the list
// (scripts/mutations/list.ts) no longer fits the code.
//
//   npm run mutations -- [area | part of a name …] [--jobs 2] [--list]
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { hasEngines, installEngines } from './engines/install.ts';
import { startPostgres } from './engines/postgres-server.ts';
import { AREAS, MUTATIONS } from './mutations/list.ts';
import { runMutations } from './mutations/run-mutations.ts';
import type { MutationResult } from './mutations/run-mutations.ts';

const USAGE = 'Usage: npm run mutations -- [area | part of a name …] [--jobs 2] [--list]';

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { jobs: { type: 'string' }, list: { type: 'boolean', default: false } },
  });
  const jobs = values.jobs === undefined ? Math.min(2, availableParallelism()) : Number(values.jobs);
  if (!Number.isInteger(jobs) || jobs < 1) throw new TypeError('--jobs must be a number from 1 on');
  const wanted = (word: string) => MUTATIONS.filter(({ area, name }) => area === word || name.includes(word));
  for (const word of positionals)
    if (wanted(word).length === 0)
      throw new TypeError(`"${word}" is no area (${Object.keys(AREAS).join(', ')}) and no part of a name`);
  const chosen = positionals.length === 0 ? MUTATIONS : [...new Set(positionals.flatMap(wanted))];
  const twice = MUTATIONS.find(({ name }, index) => MUTATIONS.findIndex((other) => other.name === name) !== index);
  if (twice) throw new Error(`Two entries of scripts/mutations/list.ts are named "${twice.name}": rename one of them.`);
  if (values.list) for (const { area, name } of chosen) process.stdout.write(`${area.padEnd(12)} ${name}\n`);
  else process.exitCode = await run(chosen, jobs);
} catch (cause) {
  process.stderr.write(cause instanceof TypeError ? `${cause.message}\n${USAGE}\n` : `${String(cause)}\n`);
  process.exitCode = 1;
}

async function run(mutations: readonly (typeof MUTATIONS)[number][], jobs: number): Promise<number> {
  const needsPostgres = mutations.some(({ engine }) => engine === 'postgres') && hasEngines();
  if (needsPostgres) installEngines();
  const server = needsPostgres ? await startPostgres() : undefined;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  try {
    const results = await runMutations({
      root: `${import.meta.dirname}/..`,
      mutations,
      areas: AREAS,
      jobs,
      signal: stop.signal,
      postgres: server && { TEST_DATABASE: 'postgres', TEST_POSTGRES_URL: server.url },
      report: ({ mutation, outcome, by }) =>
        process.stdout.write(
          `${outcome === 'noticed' ? '✔' : '✖'} ${mutation.area}: ${mutation.name}: ${outcome}, ${by}\n`,
        ),
    });
    process.stdout.write(`\n${tableOf(results)}\n`);
    return !stop.signal.aborted && results.every(({ outcome }) => outcome === 'noticed' || outcome === 'left out')
      ? 0
      : 1;
  } finally {
    await server?.remove();
  }
}

/** Counts by area, and then what nobody noticed. */
function tableOf(results: readonly MutationResult[]): string {
  const lines = ['area         mutations  noticed'];
  for (const [area, of] of Map.groupBy(results, ({ mutation }) => mutation.area)) {
    const noticed = of.filter(({ outcome }) => outcome === 'noticed').length;
    lines.push(`${area.padEnd(12)} ${String(of.length).padStart(9)}  ${String(noticed).padStart(7)}`);
  }
  const noticed = results.filter(({ outcome }) => outcome === 'noticed').length;
  lines.push(`${'all'.padEnd(12)} ${String(results.length).padStart(9)}  ${String(noticed).padStart(7)}`);
  for (const { mutation, outcome, by } of results)
    if (outcome !== 'noticed')
      lines.push('', `${outcome}: ${mutation.area}: ${mutation.name}`, `  ${mutation.file}, ${by}`);
  return lines.join('\n');
}
