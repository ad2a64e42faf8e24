// `npm run agent-conformance -- -- COMMAND…`: puts an agent through what docs/agent-protocol.md demands of one. COMMAND
// starts it, and stays in the foreground; {url} in it becomes the service's address, {key} or {keyfile} the device key
// or a file with it, {dir} the agent's folder. The last line counts the checks. Several agents run at the same time; with
// --in-turn before the two dashes, one after the other, for a machine that is too slow for that.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { basics, earlyKills, keys, lateKills, outages, scripted } from './conformance/checks.ts';
import { rules } from './conformance/rules.ts';
import type { Check } from './conformance/scripted-stage.ts';

const HELP = `Usage: npm run agent-conformance -- [--in-turn] -- COMMAND…

COMMAND starts the agent in the foreground. In its words are replaced:
  {url}      the address of the service
  {keyfile}  a file with the device key, or {key}: the key itself
  {dir}      the agent's folder, the same one at each start

For example: npm run agent-conformance -- -- node dist/agent/agent.mjs --server {url} --key-file {keyfile} --data {dir}
`;

const given = process.argv.slice(2);
const isInTurn = given[0] === '--in-turn';
if (isInTurn) given.shift();
const command = given[0] === '--' ? given.slice(1) : given;
if (
  !['{url}', '{dir}'].every((name) => command.join(' ').includes(name)) ||
  !/\{key(file)?\}/.test(command.join(' '))
) {
  process.stderr.write(HELP);
  process.exit(1);
}

let passed = 0;
let failed = 0;
const check: Check = async (what, run) => {
  try {
    await run();
    passed += 1;
    console.log(`✔ ${what}`);
    return true;
  } catch (cause) {
    failed += 1;
    console.log(`✖ ${what}\n    ${cause instanceof Error ? cause.message : String(cause)}`);
    return false;
  }
};

const folder = mkdtempSync(path.join(tmpdir(), 'agent-conformance-'));
const begun = performance.now();
try {
  const runs = Object.entries({ basics, earlyKills, lateKills, keys, outages, scripted, rules }).map(
    ([name, row]) =>
      () =>
        row({ folder: path.join(folder, name), command, check }).catch((cause: unknown) =>
          check(`${name}: the rest of these checks`, async () => {
            throw cause instanceof Error ? cause : new Error(String(cause));
          }),
        ),
  );
  if (isInTurn) for (const run of runs) await run();
  else await Promise.all(runs.map((run) => run()));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
console.log(`\nIn ${Math.round((performance.now() - begun) / 1000)} s.`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
