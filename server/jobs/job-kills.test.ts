// kill -9 of every process in the middle of jobs. The effects of each job on the device are counted: never twice, in
// order, and with complete output.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { scratch, spawnAgent } from '../test-agents.ts';
import { endProcesses, until, type TestProcess } from '../../scripts/test-process.ts';
import type { TestFleet } from '../test-fleet.ts';
import { killableService, type KillableService } from '../test-killable.ts';

const at = scratch();
const file = (name: string) => path.join(at.folder, name);
const lines = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim().split('\n') : []);
const open = (gate: string) => writeFileSync(file(gate), '');

let service: KillableService;
let fleet: TestFleet;
const start = (key: string, data: string): TestProcess =>
  spawnAgent(['--server', service.url, '--key', key], file(data));

/** A command that leaves a line at its start and its end, and prints in between until the gate is open. */
const gated = (name: string, gate: string) =>
  [
    `echo begin ${name} >> ${file('effects')}`,
    `n=0; while [ ! -e ${file(gate)} ]; do n=$((n+1)); echo $n; echo e$n >&2; sleep 0.02; done`,
    `echo end ${name} >> ${file('effects')}; echo over $n`,
  ].join('; ');

/** Whether Stdout and Stderr of a gated command are complete: counted from 1 to the number in the last line. */
function isWhole({ Stdout = '', Stderr = '' }: { Stdout?: string | undefined; Stderr?: string | undefined }): void {
  const n = Number(/over (\d+)\n$/.exec(Stdout)?.[1]);
  const count = Array.from({ length: n }, (_, index) => index + 1);
  assert.equal(Stdout, `${count.map((line) => `${line}\n`).join('')}over ${n}\n`);
  assert.equal(Stderr, count.map((line) => `e${line}\n`).join(''));
}

const supervisorOf = (job: string): number | undefined =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map(Number)
    .find((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(`supervise\0`) &&
          readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(job)
        );
      } catch {
        return false;
      }
    });

before(async () => {
  service = await killableService(file('service'));
  ({ fleet } = service);
});
after(async () => {
  await endProcesses();
  await service.kill();
  at.remove();
});

test('the service is killed in the middle of a job: the job goes on, and the ones behind it follow', async () => {
  const device = await fleet.device();
  const agent = start(device.key, 'a1');
  const ids = [
    await fleet.run(gated('s1', 'gate-s1'), { DeviceId: device.id }),
    await fleet.run(gated('s2', 'gate-s1'), { DeviceId: device.id }),
    await fleet.run(gated('s3', 'gate-s1'), { DeviceId: device.id }),
  ];
  const [first = ''] = ids;
  await until('output to be stored', async () => (await fleet.job(first)).Stdout?.includes('\n5\n'));
  await service.kill();
  assert.deepEqual(lines('effects'), ['begin s1']);
  await service.start();
  assert.equal((await fleet.job(first)).Status, 'Running');
  await until('output from after the crash', async () => (await fleet.job(first)).Stdout?.includes('\n40\n'));
  open('gate-s1');
  for (const id of ids) {
    const job = await fleet.ended(id);
    assert.equal(job.Status, 'Succeeded');
    isWhole(job);
  }
  // The agent logged it twice: lost, connected.
  const said = agent.printed
    .trim()
    .split('\n')
    .map((line) => line.split(' to ')[0]);
  assert.deepEqual(said, ['Connected', 'No connection', 'Connected']);
  assert.deepEqual(
    lines('effects'),
    ['s1', 's2', 's3'].flatMap((name) => [`begin ${name}`, `end ${name}`]),
  );
  await agent.end('SIGTERM');
});

test('the service is killed while a job ends: its result arrives all the same', async () => {
  const device = await fleet.device();
  const agent = start(device.key, 'a2');
  const id = await fleet.run(gated('e1', 'gate-e1'), { DeviceId: device.id });
  await fleet.reached(id, 'Running');
  await service.kill();
  open('gate-e1');
  await until('the end on the device', () => lines('effects').includes('end e1'));
  await service.start();
  isWhole(await fleet.ended(id));
  assert.deepEqual(
    lines('effects').filter((line) => line.endsWith(' e1')),
    ['begin e1', 'end e1'],
  );
  await agent.end('SIGTERM');
});

test('the service is killed while it judges jobs: each has its verdict in the end', async () => {
  const device = await fleet.device();
  const agent = start(device.key, 'a-judged');
  const jobs = 12;
  const ids: string[] = [];
  for (let n = 0; n < jobs; n++) ids.push(await fleet.run(`echo result ${n}`, { DeviceId: device.id }));
  for (const id of ids) await fleet.ended(id);
  const save = async (Find: string) => {
    const Rules = [{ Find, Pattern: true, Verdict: 'RolledBack' }];
    assert.equal((await service.call('PUT', '/v1/rules/w', { Rules })).status, 200);
  };
  for (let kill = 0; kill < 2; kill++) {
    await save(`^result ${kill}$`);
    // Somewhere between the first and the last of them.
    await until('the first verdict', async () => (await fleet.job(ids.at(-1) ?? '')).Verdict !== undefined);
    await service.kill();
    await service.start();
  }
  await save('^result [17]$');
  const expected = (n: number) => (n === 1 || n === 7 ? 'RolledBack' : 'Succeeded');
  for (const [n, id] of ids.entries())
    await until(`the verdict of job ${n}`, async () => (await fleet.job(id)).Verdict === expected(n));
  await agent.end('SIGTERM');
});

test('the agent is killed in the middle of a job: the next agent takes it over', async () => {
  const device = await fleet.device();
  const agent = start(device.key, 'a3');
  const first = await fleet.run(gated('k1', 'gate-k1'), { DeviceId: device.id });
  const second = await fleet.run(gated('k2', 'gate-k1'), { DeviceId: device.id });
  await until('output to be stored', async () => (await fleet.job(first)).Stdout?.includes('\n5\n'));
  await agent.end('SIGKILL');
  await until('Offline', async () => (await fleet.status(device.id)) === 'Offline');
  const next = start(device.key, 'a3');
  await until('output from after the crash', async () => (await fleet.job(first)).Stdout?.includes('\n60\n'));
  open('gate-k1');
  for (const id of [first, second]) {
    const job = await fleet.ended(id);
    assert.equal(job.Status, 'Succeeded');
    isWhole(job);
  }
  assert.deepEqual(
    lines('effects').filter((line) => / k\d$/.test(line)),
    ['begin k1', 'end k1', 'begin k2', 'end k2'],
  );
  await next.end('SIGTERM');
});

test('a job ends while its agent is dead: the result is there when one comes', async () => {
  const device = await fleet.device();
  const agent = start(device.key, 'a4');
  const id = await fleet.run(`${gated('d1', 'gate-d1')}; exit 6`, { DeviceId: device.id });
  await fleet.reached(id, 'Running');
  await agent.end('SIGKILL');
  open('gate-d1');
  await until('the end on the device', () => existsSync(file(`a4/jobs/${id}/end.json`)));
  const next = start(device.key, 'a4');
  const job = await fleet.ended(id);
  assert.deepEqual([job.Status, job.ExitCode], ['Failed', 6]);
  isWhole(job);
  await next.end('SIGTERM');
});

test('everything of a device goes down at once, like in a power cut: Interrupted, and the next job runs', async () => {
  const device = await fleet.device();
  const agent = start(device.key, 'a5');
  const id = await fleet.run(gated('p1', 'gate-never'), { DeviceId: device.id });
  const next = await fleet.run('echo next', { DeviceId: device.id });
  await until('output to be stored', async () => (await fleet.job(id)).Stdout?.startsWith('1\n'));
  const supervisor = supervisorOf(id);
  assert.ok(supervisor);
  process.kill(supervisor, 'SIGKILL');
  await agent.end('SIGKILL');
  const back = start(device.key, 'a5');
  const job = await fleet.ended(id);
  assert.equal(job.Status, 'Interrupted');
  assert.match(job.Result, /It is not run again\./);
  assert.equal((await fleet.ended(next)).Stdout, 'next\n');
  assert.deepEqual(
    lines('effects').filter((line) => line.endsWith(' p1')),
    ['begin p1'],
  );
  // Remaining processes were ended: they would disturb the next job.
  const still = readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('gate-never');
    } catch {
      return false;
    }
  });
  assert.deepEqual(still, []);
  await back.end('SIGTERM');
});

test('a job that is deleted while its agent is dead does not start, or is stopped, when it comes', async () => {
  const device = await fleet.device();
  const agent = start(device.key, 'a6');
  const id = await fleet.run(gated('x1', 'gate-x1'), { DeviceId: device.id });
  await fleet.reached(id, 'Running');
  await agent.end('SIGKILL');
  await until('Offline', async () => (await fleet.status(device.id)) === 'Offline');
  await fleet.remove(id);
  const next = await fleet.run('echo next', { DeviceId: device.id });
  const back = start(device.key, 'a6');
  assert.equal((await fleet.ended(next)).Stdout, 'next\n');
  await until('its supervisor to be gone', () => supervisorOf(id) === undefined);
  assert.deepEqual(
    lines('effects').filter((line) => line.endsWith(' x1')),
    ['begin x1'],
  );
  await back.end('SIGTERM');
});

test('a stop that was acknowledged reaches the agent, whatever was killed in between; the output stays', async () => {
  const device = await fleet.device();
  const agent = start(device.key, 'a8');
  const id = await fleet.run(gated('z1', 'gate-z1'), { DeviceId: device.id });
  await until('output to be stored', async () => (await fleet.job(id)).Stdout?.includes('\n5\n'));
  await agent.end('SIGKILL');
  await until('Offline', async () => (await fleet.status(device.id)) === 'Offline');
  assert.deepEqual(await fleet.stop(id), { Cancelled: 0, Stopping: 1 });
  await service.kill();
  await service.start();
  const asked = await fleet.job(id);
  assert.equal(asked.Status, 'Running');
  assert.notEqual(asked.StopTime, '');

  const back = start(device.key, 'a8');
  const job = await fleet.ended(id);
  assert.deepEqual([job.Status, job.Result.endsWith('Stopped on request.')], ['Cancelled', true]);
  assert.match(job.Stdout ?? '', /^1\n2\n3\n4\n5\n/);
  await until('its supervisor to be gone', () => supervisorOf(id) === undefined);
  assert.deepEqual(
    lines('effects').filter((line) => line.endsWith(' z1')),
    ['begin z1'],
  );
  await back.end('SIGTERM');
});

test('killed again and again, service and agent in turn, a queue still runs once and in order', async () => {
  const device = await fleet.device();
  const count = 8;
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1)
    ids.push(
      await fleet.run(`echo q${n} >> ${file('queue')}; seq 1 2000; sleep 0.1; echo done`, { DeviceId: device.id }),
    );
  let agent = start(device.key, 'a7');
  for (let round = 1; round <= 4; round += 1) {
    await until(`${round * 2 - 1} jobs to begin`, () => lines('queue').length >= round * 2 - 1);
    if (round % 2 === 0) {
      await service.kill();
      await service.start();
    } else {
      await agent.end('SIGKILL');
      agent = start(device.key, 'a7');
    }
  }
  const whole = `${Array.from({ length: 2000 }, (_, n) => n + 1).join('\n')}\ndone\n`;
  for (const id of ids) {
    const job = await fleet.ended(id);
    assert.deepEqual([job.Status, job.Stdout], ['Succeeded', whole]);
  }
  assert.deepEqual(
    lines('queue'),
    ids.map((_, n) => `q${n}`),
  );
  await agent.end('SIGTERM');
});

test('the service is killed while a job downloads its artifact: the download goes on where it was cut off', async () => {
  const bytes = Buffer.concat([Buffer.from('#!/bin/sh\nexit 0\n'), randomBytes(3_000_000)]);
  const form = new FormData();
  const fields = { size: '1', version: '1', type: 'script', destination: file('to'), command: 'cksum <big.sh' };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new File([bytes], 'big.sh'));
  const upload = await service.call('POST', '/v1/artifact', form);
  const { ArtifactId } = (await upload.json()) as { ArtifactId: string };

  // The connection breaks in the middle of the first download, together with the service.
  const ranges: string[] = [];
  let killed: Promise<void> | undefined;
  const line = createServer((near) => {
    const far = connect(service.port, '127.0.0.1');
    let passed = 0;
    let isDownload = false;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      from.on('error', () => {}).on('close', () => to.destroy());
    near.on('data', (part: Buffer) => {
      const text = part.toString('latin1');
      if (text.startsWith('GET /download/')) {
        isDownload = true;
        ranges.push(/^range: *(.*)$/im.exec(text)?.[1] ?? '');
      }
      far.write(part);
    });
    far.on('data', (part: Buffer) => {
      passed += part.length;
      near.write(part);
      if (!isDownload || passed < 1_000_000 || killed) return;
      killed = service.kill();
      near.end();
      far.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');

  const device = await fleet.device();
  const through = `http://127.0.0.1:${(line.address() as AddressInfo).port}`;
  const agent = spawnAgent(['--server', through, '--key', device.key], file('a8'));
  const id = await fleet.submit({ DeviceId: device.id, ArtifactId });
  await until('the service to be killed', () => killed !== undefined);
  await killed;
  await service.start();
  const job = await fleet.ended(id);
  assert.deepEqual([job.Status, job.Stderr], ['Succeeded', '']);
  assert.ok(readFileSync(path.join(file('to'), 'big.sh')).equals(bytes));
  assert.ok(Number(/^bytes=(\d+)-$/.exec(ranges.at(-1) ?? '')?.[1]) > 0, `asked for ${ranges.join(', ')}`);
  await agent.end('SIGTERM');
  line.close();
});
