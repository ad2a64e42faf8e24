// A device with a full disk: the agent reports what cannot be stored at once, and continues. The disk is a small
// separate one, where this machine allows it.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(path.join(tmpdir(), 'muster-full-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs code of this folder with `disk`, a folder on a disk of the given size; returns what it printed. */
function onDisk(size: string, code: string): unknown {
  const disk = path.join(folder, 'disk');
  mkdirSync(disk, { recursive: true });
  const head = `
    import { writeFileSync, appendFileSync, rmSync, readFileSync, existsSync } from 'node:fs';
    const from = (name) => import(${JSON.stringify(import.meta.dirname)} + '/' + name);
    const { Spool } = await from('spool.ts');
    const { JobRunner } = await from('job-runner.ts');
    const { supervise } = await from('supervise.ts');
    const { until } = await from('../scripts/test-process.ts');
    const disk = ${JSON.stringify(disk)};
    const fill = () => {
      for (const step of [65536, 4096, 1]) try { for (;;) appendFileSync(disk + '/filler', Buffer.alloc(step, 1)); } catch {}
    };
    const spool = new Spool(disk + '/data');
    const sent = [];
    const runner = new JobRunner({
      spool, log: (line) => sent.push({ type: 'log', line }), send: (message) => sent.push(message),
      launch: (folder) => supervise(folder),
    });
    const offer = (job, command) =>
      runner.run({ type: 'run', job, command, timeLimitSeconds: 60, outputLimit: 10000000, have: { stdout: 0, stderr: 0 } });
    const ended = (job) => until('the end of ' + job, () => sent.find((one) => one.type === 'ended' && one.job === job));
    const print = (value) => { console.log(JSON.stringify(value)); process.exit(0); };
  `;
  const mount = `mount -t tmpfs -o size=${size} none "$1" && exec "$2" --input-type=module -e "$3"`;
  const printed = execFileSync('unshare', ['-rm', 'sh', '-c', mount, 'sh', disk, process.execPath, head + code], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  return JSON.parse(printed) as unknown;
}

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', folder]).status === 0;
const needsDisk = { skip: canMount ? false : 'a small disk cannot be mounted here' };

test('a job that cannot be stored fails at once with the reason; with space again the next one runs', needsDisk, () => {
  const found = onDisk(
    '1m',
    `
    fill();
    offer('full', 'true');
    const full = await ended('full');
    rmSync(disk + '/filler');
    offer('next', 'echo next');
    print({ full, next: await ended('next') });`,
  ) as { full: { outcome: string; reason: string }; next: { exitCode: number } };
  assert.equal(found.full.outcome, 'not-started');
  assert.match(found.full.reason, /could not store the job\. Disk full on the device: no space in .*\/jobs\/full\.$/);
  assert.equal(found.next.exitCode, 0);
});

test(
  'a job that was stored before the disk was full starts, is stopped, and ends with its true outcome',
  needsDisk,
  () => {
    const found = onDisk(
      '1m',
      `
    offer('hold', 'sleep 0.5');
    offer('first', 'exit 7');
    fill();
    const first = await ended('first');
    rmSync(disk + '/filler');
    offer('second', 'sleep 309');
    await until('it to begin', () => existsSync(spool.folder('second').file('begun.json')));
    fill();
    runner.cancel('second');
    print({ first, second: await ended('second') });`,
    ) as { first: { exitCode?: number; outcome: string; reason?: string }; second: { outcome: string } };
    // Pipes and folders may still lack space: then the reason names it, and nothing ran.
    assert.ok(found.first.exitCode === 7 || /Disk full on the device/.test(found.first.reason ?? ''));
    assert.equal(found.second.outcome, 'cancelled');
  },
);

test(
  'output that fills the disk: a mark is in the output at once, the reason in the end, the exit code as it was',
  needsDisk,
  () => {
    const found = onDisk(
      '1m',
      `
    offer('noisy', 'yes 0123456789 | head -c 3000000; exit 5');
    const end = await until('its end', () => spool.folder('noisy').end());
    const stored = readFileSync(spool.folder('noisy').file('stdout'), 'utf8');
    runner.stored('noisy', { stdout: 9e9, stderr: 9e9 });
    await ended('noisy');
    runner.settled('noisy');
    print({ end, tail: stored.slice(-200), settled: spool.isSettled('noisy'), log: sent.filter((one) => one.type === 'log') });`,
    ) as { end: { exitCode: number; reason: string }; tail: string; settled: boolean; log: unknown[] };
    assert.equal(found.end.exitCode, 5);
    assert.match(found.end.reason, /^Output is missing\. Disk full on the device: no space in .*\/jobs\/noisy\.$/);
    assert.match(found.tail, /\[muster\] Disk full on the device: output is not stored from here on/);
    assert.deepEqual([found.settled, found.log], [true, []]);
  },
);
