// The rules of every agent: docs/agent-protocol.md has them as a table, by the names of these checks. Each row of checks has an
// agent of its own, which speaks to a scripted service in whichever way it does.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { isFactName, LONGEST_FACT, MOST_FACTS } from '#/contract/fact-values.ts';
import { cutMark } from '#/contract/agent-link.ts';
import { must, ScriptedStage, soon, type Place } from './scripted-stage.ts';
import { OUTPUT_LIMIT } from './scripted-service.ts';

type RuleCheck = (stage: ScriptedStage) => Promise<void>;

const shown = (value: unknown) => JSON.stringify(value).slice(0, 200);

/** Runs this Command to its end, which must be this one, and gives what it printed. */
async function run(stage: ScriptedStage, name: string, command: string, end = 'exit=0'): Promise<string> {
  const id = stage.idOf(name);
  stage.service.give({ id, command, seconds: 60 });
  const [reported] = await stage.endsOf(name);
  must(reported === end, `${shown(command)} ended with ${reported} instead of ${end}`);
  return stage.service.outputOf(id, 'stdout').toString();
}

async function printed(stage: ScriptedStage, name: string, command: string, expected: string): Promise<void> {
  const found = await run(stage, name, command);
  must(found === expected, `${shown(command)} printed ${shown(found)}`);
}

const jobs: Record<string, RuleCheck> = {
  once: async (stage) => {
    stage.give('twice', 'sleep 1', { times: 3 });
    const [end] = await stage.endsOf('twice');
    must(end === 'exit=0', `it ended with ${end}`);
    must(stage.starts('twice') === 1, `it was started ${stage.starts('twice')} times`);
  },

  'once-settled': async (stage) => {
    const { service } = stage;
    stage.give('late', 'true');
    await stage.endsOf('late');
    service.settle(stage.idOf('late'));
    service.settle(stage.idOf('late'));
    stage.give('late', 'true');
    stage.give('after-late', 'true');
    await stage.endsOf('after-late');
    must(stage.starts('late') === 1, `it was started ${stage.starts('late')} times`);
  },

  'unknown-stop': async (stage) => {
    stage.service.stop(stage.idOf('unknown-job'));
    const [end] = await stage.endsOf('unknown-job');
    must(end === 'how=stopped', `the answer is ${end}`);
  },

  'job-ids': async (stage) => {
    const trap = stage.file('escaped');
    const bad = ['x'.repeat(65), 'a.b', 'a/b', '..', 'é', '$(id)', "'"];
    for (const [n, id] of bad.entries()) {
      stage.service.give({ id, command: `touch '${trap}'`, seconds: 60 });
      await run(stage, `after-id-${n}`, 'true');
    }
    must(!existsSync(trap), 'a job with another id was run');
    for (const name of ['-n', '--help', '_', '-'.repeat(64 - stage.idOf('').length)]) {
      const id = stage.idOf(name);
      await printed(stage, name, 'echo "$MUSTER_JOB_ID"', `${id}\n`);
    }
  },

  'command-text': async (stage) => {
    await run(stage, 'minus', '-x', 'exit=127');
    await run(stage, 'plus', '+x', 'exit=127');
    await run(stage, 'option', '-c true', 'exit=127');
    await printed(stage, 'blanks', '\n \t \n  printf "%s" "$((1 + 1))"', '2');
    await printed(stage, 'bytes', `printf '%s' 'a\r\n\tb%25+é \\n\n\n'`, 'a\r\n\tb%25+é \\n\n\n');
    await printed(stage, 'no-end', `cat <<'END'\nlast\nEND`, 'last\n');
  },

  'command-length': async (stage) => {
    await printed(stage, 'long', `: '${'x'.repeat(900_000)}'\necho end`, 'end\n');
  },

  'exit-codes': async (stage) => {
    await run(stage, 'one', 'exit 1', 'exit=1');
    await run(stage, 'most', 'exit 255', 'exit=255');
    await run(stage, 'kill', 'kill -9 $$', 'exit=137');
    await run(stage, 'term', 'kill -15 $$', 'exit=143');
    await run(stage, 'missing', '/nowhere/to/be/found', 'exit=127');
  },

  'output-limit': async (stage) => {
    const id = stage.idOf('much');
    const line = '123456789abcdef\n';
    const lines = Math.ceil(OUTPUT_LIMIT / line.length) + 9_000;
    const all = line.repeat(lines);
    await run(stage, 'much', `yes '${line.trim()}' | head -n ${lines}; echo over >&2`);
    const { service } = stage;
    must(service.outputOf(id, 'stdout').equals(Buffer.from(all.slice(0, OUTPUT_LIMIT) + cutMark(OUTPUT_LIMIT))), 'cut');
    must(service.outputOf(id, 'stderr').toString() === 'over\n', 'the other stream has not all that was printed');
  },

  'time-limit': async (stage) => {
    stage.give('limit', 'sleep 4322 & sleep 4322', { seconds: 2 });
    const [end] = await stage.endsOf('limit');
    must(end === 'how=timeout', `the end is ${end}`);
    await soon('its processes to end', () => !stage.agent.commandLines('sleep 4322').length);
  },

  replaced: async ({ agent, service }) => {
    service.replace();
    const code = await soon('the agent to end', async () => !agent.isRunning && agent.program?.ended);
    must(code === 3, `its exit code is ${code}`);
  },
};

const ends: Record<string, RuleCheck> = {
  settled: async (stage) => {
    const doubts = 5;
    stage.service.doubts = doubts;
    stage.give('doubted', 'exit 9');
    const reported = await stage.endsOf('doubted', doubts + 1);
    must(
      reported.every((end) => end === 'exit=9'),
      `the reports are ${reported.join()}`,
    );
    must(stage.starts('doubted') === 1, `it was started ${stage.starts('doubted')} times`);
    await run(stage, 'after-doubted', 'true');
  },

  'waits-cut': async (stage) => {
    const { service } = stage;
    if (!service.isHttp) return void (await soon('a ping', () => service.pings > 0));
    service.cutsWaitsAfterMs = 12_000;
    service.rejoin();
    for (let n = 1; n <= 4; n++) await soon('a wait to end', () => service.waits >= n);
    must(service.gapsMs < 3_000, `between four waits it paused for ${Math.round(service.gapsMs)} ms`);
    service.cutsWaitsAfterMs = undefined;
  },
};

/** Waits until the service has refused this many more requests. */
async function refused(stage: ScriptedStage, count: number): Promise<number[]> {
  const { refusedAt } = stage.service;
  const before = refusedAt.length;
  for (let n = 1; n <= count; n++) await soon('a request that is refused', () => refusedAt.length >= before + n);
  return refusedAt.slice(before, before + count);
}

/** Refuses requests in this way until this many were, and gives when that was. */
async function refuse(
  stage: ScriptedStage,
  refusal: NonNullable<ScriptedStage['service']['refusal']>,
  count: number,
): Promise<number[]> {
  stage.service.refusal = refusal;
  stage.service.rejoin();
  const times = await refused(stage, count);
  stage.service.refusal = undefined;
  await stage.joined();
  return times;
}

const retries: Record<string, RuleCheck> = {
  'retry-after': async (stage) => {
    const [first = 0, second = 0] = await refuse(stage, { status: 503, retryAfter: '03' }, 2);
    must(second - first > 2_990, `it tried again after ${Math.round(second - first)} ms`);
  },

  'retry-after-limit': async (stage) => {
    for (const retryAfter of ['99999999', 'tomorrow', 'Wed, 21 Oct 2076 07:28:00 GMT'])
      await refuse(stage, { status: 503, retryAfter }, 2);
  },

  pauses: async (stage) => {
    const times = await refuse(stage, { status: 502 }, 5);
    const took = (times.at(-1) ?? 0) - (times[0] ?? 0);
    must(took > 250, `it tried five times in ${Math.round(took)} ms`);
  },

  'pauses-begin-anew': async (stage) => {
    const begun = performance.now();
    for (let n = 0; n < 10; n++) await refuse(stage, { status: 502 }, 1);
    const took = Math.round((performance.now() - begun) / 1000);
    must(took < 40, `ten faults, each followed by an answer, took ${took} s`);
  },

  'login-of-a-proxy': async (stage) => {
    for (const challenge of [undefined, 'Basic realm="Restricted"', 'Bearer realm="proxy"'])
      await refuse(stage, { status: 401, ...(challenge !== undefined && { challenge }) }, 2);
  },

  refused: async (stage) => {
    const { agent, service } = stage;
    service.refusal = { status: 401, challenge: 'Bearer realm="muster"' };
    service.rejoin();
    const code = await soon('the agent to end', async () => !agent.isRunning && agent.program?.ended);
    must(code === 2, `its exit code is ${code}`);
  },
};

/** Replaces the programs that print facts. */
function writePrograms({ agent }: ScriptedStage, programs: Record<string, string>): void {
  const folder = path.join(agent.dir, 'facts.d');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o755 });
  for (const [name, script] of Object.entries(programs))
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** Prints this many facts, with a line each. */
const manyFacts = (name: string, count: number, value: string) =>
  `i=0; while [ $i -lt ${count} ]; do i=$((i + 1)); echo "${name}.$i=${value}"; done`;

const LINES = [
  'rack=7',
  '',
  '# note=1',
  'equals=a=b==',
  '=no name',
  'no value',
  'empty=',
  'carriage=return\r',
  `long=${'x'.repeat(600)}`,
  'rack=8',
];
const NAMES = ['Upper=1', 'with blank=1', `${'n'.repeat(65)}=1`, 'é=1', 'hostname=other', 'arch=other', 'ok_1.x=1'];
const printLines = (lines: string[]) => `cat <<'END'\n${lines.join('\n')}\nEND`;

const said = ({ service }: ScriptedStage) => service.problems.join(' ');

/** The agent starts again, and reports facts of which this one is the last. */
async function restarted(stage: ScriptedStage, programs: Record<string, string>): Promise<ReadonlyMap<string, string>> {
  await stage.agent.kill();
  writePrograms(stage, programs);
  stage.service.facts.clear();
  stage.service.rejoin();
  stage.agent.start();
  await stage.joined();
  await soon('its facts', () => stage.service.facts.size > 0);
  const { facts, mistakes } = stage.service;
  must(mistakes.length === 0, mistakes.join('; '));
  must(facts.get('hostname') === hostname(), `the hostname is ${facts.get('hostname')} instead of ${hostname()}`);
  must(facts.size <= MOST_FACTS, `it reports ${facts.size} facts`);
  return facts;
}

const facts: Record<string, RuleCheck> = {
  'facts-lines': async (stage) => {
    const found = await restarted(stage, { lines: printLines(LINES), names: printLines(NAMES) });
    must(found.get('equals') === 'a=b==', `"equals" is ${shown(found.get('equals'))}`);
    must(found.get('carriage') === 'return', `"carriage" is ${shown(found.get('carriage'))}`);
    must(!found.has('empty'), '"empty", which has no value, is a fact');
    must(found.get('rack') === '8', `"rack" is ${shown(found.get('rack'))}`);
    must(found.get('long') === 'x'.repeat(LONGEST_FACT), `"long" has ${found.get('long')?.length} characters`);
    must(![...found.keys()].some((name) => name.includes('note')), 'a line that begins with # is a fact');
  },

  'facts-names': async ({ service }) => {
    for (const name of service.facts.keys()) must(isFactName(name), `${shown(name)} is the name of a fact`);
    must(service.facts.get('ok_1.x') === '1', '"ok_1.x" is no fact');
    must(service.facts.get('arch') !== 'other', 'a program has replaced a fact of the agent itself');
  },

  'facts-programs': async (stage) => {
    const found = await restarted(stage, {
      fine: 'echo fine=1',
      slow: 'echo slow=1; sleep 4331 & sleep 4331',
      failing: 'echo failing=1; exit 3',
      large: manyFacts('large', 3_000, 'x'.repeat(50)),
    });
    must(found.get('fine') === '1', 'the facts of a program that did not fail are missing');
    for (const name of ['slow', 'failing', 'large']) {
      must(![...found.keys()].some((fact) => fact.startsWith(name)), `the facts of the program "${name}" count`);
      must(said(stage).includes(name), `it is not said that the program "${name}" failed, only: ${said(stage)}`);
    }
    await soon('what the slow program started to end', () => !stage.agent.commandLines('sleep 4331').length);
  },

  'facts-most': async (stage) => {
    const found = await restarted(stage, { first: 'echo first=1', many: manyFacts('many', 300, 'x') });
    must(found.get('first') === '1' && found.has('many.1') && found.has('os'), 'it left out others than the last ones');
    must(!found.has('many.300') && said(stage) !== '', 'it is not said that facts were left out');
  },

  'facts-size': async (stage) => {
    const found = await restarted(stage, { first: 'echo first=1', long: manyFacts('long', 100, '%'.repeat(500)) });
    must(found.get('first') === '1' && found.has('os'), 'it left out others than the last ones');
    must(found.has('long.100') || said(stage) !== '', 'it is not said that facts were left out');
  },

  'facts-changes': async (stage) => {
    const state = stage.file('state');
    writeFileSync(state, 'one');
    await restarted(stage, { state: `echo "state=$(cat '${state}')"` });
    const { hellos } = stage.service;
    stage.give('held', `until [ -e '${stage.file('go')}' ]; do sleep 0.2 2>/dev/null || sleep 1; done`);
    await soon('the command to start', () => stage.starts('held') > 0);
    writeFileSync(state, 'two');
    await soon('the changed fact', () => {
      stage.service.endWait();
      return stage.service.facts.get('state') === 'two';
    });
    must(stage.service.hellos === hellos, 'it began another session');
    writeFileSync(stage.file('go'), '');
    const [end] = await stage.endsOf('held');
    must(end === 'exit=0' && stage.starts('held') === 1, `the job ended with ${end}`);
  },
};

/** Each has an agent of its own; they run side by side. */
const ROWS = { jobs, ends, retries, facts };
const FACTS_SOON = { MUSTER_FACTS_EVERY: '2' };

/** The names of all rules that are checked. */
export const ruleNames = (): string[] => Object.values(ROWS).flatMap((row) => Object.keys(row));

export async function rules(place: Place): Promise<void> {
  await Promise.all(
    Object.entries(ROWS).map(async ([row, checks]) => {
      const folder = path.join(place.folder, row);
      const stage = await ScriptedStage.open({ ...place, folder }, checks === facts ? FACTS_SOON : {});
      try {
        stage.agent.start();
        await stage.joined();
        for (const [name, check] of Object.entries(checks)) await place.check(`rule ${name}`, () => check(stage));
      } finally {
        await stage.close();
      }
    }),
  );
}
