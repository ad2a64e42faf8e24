// Facts on the device: what the agent finds out, what programs print, and when it is reported.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Facts } from '#/contract/agent-link.ts';
import { isFactName } from '#/contract/fact-values.ts';
import { until } from '../scripts/test-process.ts';
import { BootTime, ownFacts, readAssignments, sizeText, withPrinted, type FactReport } from './facts.ts';
import { programFacts, readFacts } from './facts-programs.ts';
import { FactsReporter } from './facts-reporter.ts';
import { running } from './test-folder.ts';

/** A folder of programs, each a shell script. */
function programs(t: TestContext, scripts: Record<string, string>): string {
  const data = mkdtempSync(path.join(tmpdir(), 'muster-facts-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const folder = path.join(data, 'facts.d');
  mkdirSync(folder, { mode: 0o755 });
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

test('the agent finds out the facts of a Linux machine, each with a valid name', () => {
  const facts = ownFacts({ data: tmpdir(), bootTime: new BootTime(), hostname: 'unit-7' });
  const values = new Map(facts.map(({ name, value }) => [name, value]));
  for (const name of ['os', 'kernel', 'arch', 'cpu_cores', 'memory', 'disk_total', 'disk_free', 'boot_time'])
    assert.ok(values.get(name), name);
  assert.equal(values.get('hostname'), 'unit-7');
  assert.equal(values.get('agent_kind'), 'node');
  assert.deepEqual(
    facts.filter(({ name }) => !isFactName(name)),
    [],
  );
  assert.deepEqual(
    ownFacts({ data: '/nowhere', bootTime: new BootTime() }).filter(({ name }) => name.startsWith('disk')),
    [],
  );
});

test('quotes around the values of os-release are removed', () => {
  const read = readAssignments('ID=debian\nVERSION_ID="12"\n# note\nPRETTY_NAME=\'Debian 12\'\n');
  assert.deepEqual(Object.fromEntries(read), { ID: 'debian', VERSION_ID: '12', PRETTY_NAME: 'Debian 12' });
});

test('the time of the last start stays the same while the clock is corrected by seconds', () => {
  const boot = new BootTime();
  const first = boot.text(1_000_020_000, 0);
  assert.match(first, /^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
  assert.equal(boot.text(1_000_079_000, 0), first);
  assert.notEqual(boot.text(1_000_200_000, 0), first);
});

test('programs print facts in the order of their names, and a failing one is a problem', async (t) => {
  const folder = programs(t, {
    'b-rack': 'echo rack=7; echo "# note"; echo; echo "site=hall = north"; echo nonsense',
    'a-fails': 'echo lost=1; echo "no modem" >&2; exit 3',
    '.hidden': 'echo hidden=1',
  });
  writeFileSync(path.join(folder, 'notes.txt'), 'x', { mode: 0o644 });
  symlinkSync('/bin/true', path.join(folder, 'link'));
  assert.deepEqual(await programFacts(folder), {
    facts: [
      { name: 'rack', value: '7' },
      { name: 'site', value: 'hall = north' },
    ],
    problems: [
      'link is not a file: links are not run',
      'notes.txt is not executable',
      'a-fails ended with exit code 3: no modem',
      'b-rack: line 5 is not name=value',
    ],
  });
  assert.deepEqual(await programFacts(path.join(folder, 'missing')), { facts: [], problems: [] });
});

test('a program that takes too long is killed with what it started', async (t) => {
  const folder = programs(t, { slow: 'echo early=1; sleep 987.5 & sleep 987.5' });
  const { facts, problems } = await programFacts(folder, { timeLimitMs: 300 });
  assert.deepEqual([facts, problems], [[], ['slow took longer than 0.3 s']]);
  await until('its processes to end', async () => running('987.5').length === 0);
});

test('a program that prints too much is stopped, and too many are not run', async (t) => {
  const folder = programs(t, { endless: 'while :; do echo x=12345678901234567890; done' });
  assert.deepEqual(await programFacts(folder), { facts: [], problems: ['endless printed more than 64 kB'] });
  const many = programs(t, Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`p${100 + n}`, `echo n${n}=1`])));
  const { facts, problems } = await programFacts(many);
  assert.equal(facts.length, 50);
  assert.deepEqual(problems, ['p150 is not run: at most 50 programs are']);
});

test('root runs nothing that others could have written', async (t) => {
  const folder = programs(t, { open: 'echo open=1', theirs: 'echo theirs=1', own: 'echo own=1' });
  chmodSync(path.join(folder, 'open'), 0o777);
  if (process.getuid?.() === 0) chownSync(path.join(folder, 'theirs'), 12345, 12345);
  const { facts, problems } = await programFacts(folder, { isRoot: true });
  assert.equal(
    problems[0]?.replace('belongs to another user than root', 'can be written by others than root'),
    'open can be written by others than root: it is not run',
  );
  if (process.getuid?.() !== 0) return;
  assert.equal(problems[1], 'theirs belongs to another user than root: it is not run');
  assert.deepEqual(facts, [{ name: 'own', value: '1' }]);
  chmodSync(folder, 0o777);
  assert.deepEqual(await programFacts(folder, { isRoot: true }), {
    facts: [],
    problems: ['facts.d can be written by others than root: nothing in it is run'],
  });
});

test('a line is a fact only with a name before the first =', () => {
  assert.deepEqual(readFacts('p', 'a=\r\nb==c\n=d\nno name=e\n'), {
    facts: [
      { name: 'a', value: '' },
      { name: 'b', value: '=c' },
    ],
    problems: ['p: line 3 is not name=value', 'p: line 4 is not name=value'],
  });
});

test('facts of programs that do not fit are left out, which is said, and those of the agent stay', () => {
  const own = Array.from({ length: 15 }, (_, n) => ({ name: `own${n}`, value: 'x' }));
  const printed = Array.from({ length: 190 }, (_, n) => ({ name: `many.${n}`, value: 'x' }));
  const { facts, problems } = withPrinted(own, [
    { name: 'own3', value: 'other' },
    { name: 'server', value: 'https://elsewhere' },
    { name: 'Upper', value: 'x' },
    { name: 'empty', value: '' },
    { name: 'long', value: 'é'.repeat(513) },
    ...printed,
    { name: 'many.0', value: 'last' },
  ]);
  assert.equal(facts.length, 200);
  assert.deepEqual(facts.slice(0, 17), [
    ...own,
    { name: 'long', value: 'é'.repeat(512) },
    { name: 'many.0', value: 'last' },
  ]);
  assert.deepEqual(problems, [
    'own3 is a fact of the agent itself: give yours another name',
    'server is a fact of the agent itself: give yours another name',
    '"Upper" is not the name of a fact: up to 64 of a to z, 0 to 9, _ and .',
    '6 facts are left out: a device has at most 200',
  ]);
});

test('a report with thousands of problems fits into one message', async (t) => {
  const sent: Facts[] = [];
  const problems = Array.from({ length: 50_000 }, (_, n) => `p: line ${n} is not name=value`);
  const reporter = new FactsReporter({
    collect: async () => ({ facts: [], problems }),
    send: (message) => sent.push(message),
  });
  t.after(() => reporter.lost());
  reporter.connected('');
  await until('the report', async () => sent.length > 0);
  assert.equal(sent[0]?.problems.length, 50);
});

test('facts are reported at the start and when one changes, only to a service that takes them', async (t) => {
  const sent: Facts[] = [];
  let now: FactReport = { facts: [{ name: 'os', value: 'debian' }], problems: [] };
  let collected = 0;
  const reporter = new FactsReporter({
    collect: async () => {
      collected += 1;
      return now;
    },
    send: (message) => sent.push(message),
    checkedEveryMs: 5,
  });
  t.after(() => reporter.lost());
  reporter.connected(undefined);
  assert.equal(collected, 0);
  reporter.connected('');
  await until('some checks', async () => collected > 3);
  assert.equal(sent.length, 1);
  now = { facts: [{ name: 'os', value: 'alpine' }], problems: ['p failed'] };
  await until('the change to be reported', async () => sent.length === 2);
  assert.deepEqual(sent[1], { type: 'facts', ...now });
  reporter.lost();
  const before = collected;
  now = { facts: [], problems: [] };
  assert.equal(collected, before);
  assert.equal(sent.length, 2);
});

test('the size of a small disk is more than 0.0 GB', () => {
  const sizes = [7_077_888, 2.04e9, 18e12].map(sizeText);
  assert.deepEqual(sizes, ['7 MB', '2.0 GB', '18000 GB']);
});
