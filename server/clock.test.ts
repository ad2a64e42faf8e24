// The computer's clock is set by ten years while the service runs, and while it is stopped.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { TestContext } from 'node:test';
import { openClock } from './clock.ts';
import { moveOpenTimes } from './store/open-times.ts';
import { openTestDatabase } from './store/test-database.ts';
import { FakeAgent } from './test-agents.ts';
import { endProcesses } from '../scripts/test-process.ts';
import { testFleet } from './test-fleet.ts';
import { startTestService } from './test-service.ts';
import type { TestTime } from './test-service.ts';

const HOUR = 3_600_000;
const YEARS = 10 * 365 * 24 * HOUR;
after(endProcesses);

async function startWith(t: TestContext, clock: TestTime) {
  let service = await startTestService({}, undefined, clock);
  t.after(() => service.end());
  return {
    get service() {
      return service;
    },
    restart: async (change: () => void) => {
      await service.close();
      change();
      service = await startTestService({}, service.dataDir, clock);
    },
  };
}

async function signIn(url: string, token: string) {
  const response = await fetch(`${url}/auth/session`, { method: 'POST', body: JSON.stringify({ Token: token }) });
  return response.headers.get('Set-Cookie')?.split(';')[0] ?? '';
}
const isIn = async (url: string, cookie: string) =>
  (await fetch(`${url}/v1/account`, { headers: { Cookie: cookie } })).status === 200;

for (const [name, by] of [
  ['forward', YEARS],
  ['back', -YEARS],
] as const) {
  test(`a clock set ${name} by ten years signs nobody out, and sessions still end when they should`, async (t) => {
    const clock: TestTime = { offset: 0, set: 0, boot: 'one' };
    const { service } = await startWith(t, clock);
    const cookie = await signIn(service.url, service.token ?? '');
    clock.set = by;
    assert.equal(await isIn(service.url, cookie), true, 'before it is noticed');
    await service.context.clock.check();
    assert.ok(Math.abs(service.context.now() - (Date.now() + by)) < 5000, 'the service follows it');
    assert.equal(await isIn(service.url, cookie), true);
    clock.offset = 11 * HOUR;
    const rotated = await fetch(`${service.url}/v1/account`, { headers: { Cookie: cookie } });
    assert.equal(rotated.status, 200);
    const fresh = rotated.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    assert.notEqual(fresh, '');
    clock.offset += 12 * HOUR;
    assert.equal(await isIn(service.url, fresh), false, 'unused for twelve hours');
  });

  test(`a clock set ${name} by ten years makes no job longer, and no download link invalid`, async (t) => {
    const clock: TestTime = { offset: 0, set: 0, boot: 'one' };
    const { service } = await startWith(t, clock);
    const fleet = testFleet((...request) => service.call(...request));
    const device = await fleet.device('', 'pump');
    const agent = await FakeAgent.connect(service.url, device.key);
    const running = await fleet.run('true', { DeviceId: device.id });
    const { job } = await agent.receive('run');
    agent.say({ type: 'started', job, ago: 0 });
    await fleet.reached(running, 'Running');
    const link = service.context.downloads.commandFor(
      {
        id: 'a',
        name: 'a',
        sha256: '',
        sizeBytes: 1,
        unpackedBytes: 0,
        isScript: true,
        destination: '/',
        runCommand: 'true',
        folder: '',
      },
      { origin: service.url },
    );
    const query = Object.fromEntries(new URL(/http[^'"\s]+/.exec(link)?.[0] ?? '').searchParams);
    const opens = () =>
      service.context.downloads.opens('a', { expires: query['expires'], token: query['token'], job: undefined });
    assert.equal(opens(), true);

    clock.set = by;
    await service.context.clock.check();
    clock.offset = 60_000;
    agent.say({ type: 'ended', job, outcome: 'exited', exitCode: 0, endedAgo: 0 });
    const { StartTime, EndTime } = await fleet.ended(running);
    const seconds = (Date.parse(EndTime) - Date.parse(StartTime)) / 1000;
    assert.ok(seconds >= 59 && seconds < 100, `${StartTime} to ${EndTime}`);
    assert.ok(Math.abs(Date.parse(EndTime) - (Date.now() + by)) < 200_000, 'in the time as it is now');
    assert.equal(opens(), true);
    clock.offset = 49 * HOUR;
    assert.equal(opens(), false);
    await agent.end();
  });

  test(`a clock set ${name} by ten years while the service was stopped signs nobody out`, async (t) => {
    const clock: TestTime = { offset: 0, set: 0, boot: 'one' };
    const running = await startWith(t, clock);
    const cookie = await signIn(running.service.url, running.service.token ?? '');
    await running.restart(() => (clock.set = by));
    assert.equal(await isIn(running.service.url, cookie), true);
    await running.restart(() => (clock.offset = 13 * HOUR));
    assert.equal(await isIn(running.service.url, cookie), false, 'time that really passed counts');
  });
}

test('a clock that was ten years ahead until a reboot signs nobody out; one that was behind looks like time away', async (t) => {
  const clock: TestTime = { offset: 0, set: YEARS, boot: 'one' };
  const running = await startWith(t, clock);
  const cookie = await signIn(running.service.url, running.service.token ?? '');
  await running.restart(() => Object.assign(clock, { set: 0, boot: 'two' }));
  assert.equal(await isIn(running.service.url, cookie), true);
});

test('a step that no node could store is made up for by the next that leads', async (t) => {
  const db = await openTestDatabase();
  t.after(() => db.close());
  const time = { set: 0, passed: 0 };
  let leader: 'first' | 'second' | undefined = 'first';
  const moves: number[] = [];
  const open = async (name: 'first' | 'second') => {
    const clock = await openClock({
      db,
      moveTimes: async (_, by) => moves.push(by),
      report: () => {},
      time: {
        wall: () => 1e12 + time.passed + time.set,
        steady: () => time.passed,
        uptime: () => time.passed,
        boot: 'one',
      },
      isKeeper: () => leader === name,
    });
    t.after(() => clock.close());
    return clock;
  };
  const clocks = [await open('first'), await open('second')];
  const check = async () => {
    time.passed += 1_000;
    for (const clock of clocks) await clock.check();
  };
  const DAY = 24 * HOUR;

  await check();
  leader = undefined;
  time.set = DAY;
  await check();
  assert.deepEqual(moves, []);
  leader = 'second';
  time.set = 0;
  await check();
  assert.deepEqual(moves, [], 'there and back before anybody could store it');

  leader = 'first';
  time.set = DAY;
  await check();
  assert.deepEqual(moves, [DAY]);
  leader = undefined;
  time.set = 0;
  await check();
  assert.deepEqual(moves, [DAY]);
  leader = 'second';
  await check();
  assert.deepEqual(moves, [DAY, -DAY], 'the way back, by the next leader');
  leader = 'first';
  await check();
  assert.deepEqual(moves, [DAY, -DAY], 'and by nobody else');
});

test('a step that cannot be stored is neither half done nor forgotten', async (t) => {
  const db = await openTestDatabase();
  t.after(() => db.close());
  const time = { set: 0, passed: 0 };
  const reports: string[] = [];
  let isFull = false;
  const clock = await openClock({
    db,
    moveTimes: async (tx, by) => {
      await moveOpenTimes(tx, by);
      if (isFull) throw new Error('disk full');
    },
    report: (message) => reports.push(message),
    time: {
      wall: () => 1e12 + time.passed + time.set,
      steady: () => time.passed,
      uptime: () => time.passed + 0.4,
      boot: 'one',
    },
  });
  t.after(() => clock.close());
  const heard: number[] = [];
  clock.onSet((by) => heard.push(by));
  const sum = () => heard.reduce((all, by) => all + by, 0);
  isFull = true;
  time.set = YEARS;
  await clock.check();
  await clock.check();
  assert.deepEqual([clock.now(), sum(), reports.length], [1e12, 0, 1]);
  isFull = false;
  time.passed = 1_000;
  await clock.check();
  assert.deepEqual([clock.now(), clock.unset(), sum()], [1e12 + YEARS + 1_000, 1e12 + 1_000, YEARS]);
  time.set += 300; // adjusted by a few milliseconds, as NTP does
  await clock.check();
  assert.deepEqual([clock.now(), sum()], [1e12 + YEARS + 1_300, YEARS]);
});
