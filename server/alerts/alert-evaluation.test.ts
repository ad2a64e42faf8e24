// Which messages the rules of alerts decide on, on either engine.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { AlertEvent, RuleTrial } from '#/contract/alerts.ts';
import { FIRST_ACCOUNT } from '../store/accounts.ts';
import { queueAlert, wouldFire, wouldHaveFired } from '../store/alert-firing.ts';
import { failedLately } from '../store/alert-jobs.ts';
import { deleteChannel, ruleById, silenceRule, trialRow, updateRule } from '../store/alert-settings.ts';
import { markAllOffline } from '../store/devices.ts';
import { insertRow } from '../store/database.ts';
import { moveJob, refreshParents, type TouchedParents } from '../store/job-moves.ts';
import { storeVerdicts } from '../store/rules.ts';
import { MINUTE, openTestAlerts, type TestAlerts } from './test-alerts.ts';
import { storeFacts } from '../store/facts.ts';
import { wholeAccount } from '../store/scope.ts';

let at: TestAlerts;
const open = async (options?: Parameters<typeof openTestAlerts>[0]) => (at = await openTestAlerts(options));
afterEach(() => at.close());

const endedJob = (device: number, name: string, status: string) =>
  at.db.write(async (tx) => {
    const seq = await insertRow(
      tx,
      `INSERT INTO jobs (id, account_id, device_seq, device_id, device_name, name, status, created)
       VALUES (?1, 1, ?2, 'd', 'camera', ?1, 'Running', 0)`,
      name,
      device,
    );
    await tx.run('UPDATE jobs SET status = ?, ended = ?, exit_code = 3 WHERE seq = ?', status, at.now(), seq);
  });

test('a device is reported once it has been Offline for the time of the rule, and only once', async () => {
  await open();
  const device = await at.device('camera');
  await at.rule('DeviceOffline', { ForMinutes: 5 });
  await at.leave(device);
  await at.pass(4);
  assert.deepEqual(await at.texts(), []);
  await at.pass(1);
  await at.pass(60);
  assert.deepEqual(await at.texts(), ['camera is Offline since 2026-11-23 10:00 UTC']);
  assert.equal((await at.firing())?.firing, 1);
  await at.back(device);
  await at.pass();
  assert.equal((await at.firing())?.firing, 0);
});

test('a device that never connected, and one that is back in time, are not reported', async () => {
  await open();
  const device = await at.device('camera');
  const fresh = await at.device('fresh');
  await at.db.write((tx) => tx.run('UPDATE devices SET state_online = 0, last_seen = NULL WHERE seq = ?', fresh));
  await at.rule('DeviceOffline', { ForMinutes: 5 });
  await at.leave(device);
  await at.pass(4);
  await at.back(device);
  await at.pass(10);
  assert.deepEqual(await at.texts(), []);
});

test('while the service itself is down no device is Offline', async () => {
  await open();
  await at.device('camera');
  await at.rule('DeviceOffline');
  await at.db.write((tx) => markAllOffline(tx));
  at.restart();
  await at.pass(600);
  assert.deepEqual(await at.texts(), []);
});

test('a site that falls is one message, which says how much of it is away', async () => {
  await open({ gatherMs: MINUTE });
  const berlin: number[] = [];
  for (let n = 0; n < 14; n++) berlin.push(await at.device(`b${n}`, { site: 'Berlin' }));
  const other = await at.device('kiosk', { site: 'Graz' });
  await at.rule('DeviceOffline');
  await at.leave(...berlin.slice(0, 4), other);
  await at.pass();
  await at.pass(0.75);
  await at.leave(...berlin.slice(4, 12));
  await at.pass();
  await at.pass(0.75);
  assert.deepEqual(await at.texts(), []);
  await at.pass(0.25);
  const [message, ...rest] = await at.messages();
  assert.deepEqual(rest, []);
  assert.equal(
    message?.text,
    '12 of 14 devices of Berlin are Offline: b0, b1, b2, b3, b4, b5, b6, b7, b8, b9 and 2 more\n' +
      'kiosk (Graz) is Offline since 2026-11-23 10:00 UTC',
  );
  assert.equal((JSON.parse(message?.devices ?? '') as unknown[]).length, 13);
});

test('a fleet that never rests does not hold a message back for ever', async () => {
  await open({ gatherMs: MINUTE });
  await at.rule('DeviceOffline');
  for (let n = 0; n < 10; n++) {
    await at.leave(await at.device(`device ${n}`));
    await at.pass(0.5);
  }
  assert.equal((await at.texts()).length, 2);
});

test('in the quiet time there is no second message, and the next one has what was held back', async () => {
  await open();
  const [one, two, three] = [await at.device('one'), await at.device('two'), await at.device('three')];
  await at.rule('DeviceOffline', { QuietMinutes: 30 });
  await at.leave(one);
  await at.pass();
  await at.leave(two);
  await at.pass(1);
  await at.back(two);
  await at.leave(three);
  await at.pass(28);
  assert.equal((await at.texts()).length, 1);
  await at.pass(1);
  assert.deepEqual((await at.texts()).slice(1), [
    'three is Offline since 2026-11-23 10:01 UTC\ntwo was Offline meanwhile, and is not any more',
  ]);
});

test('a restart at any moment neither repeats a message nor misses one', async () => {
  await open({ gatherMs: MINUTE });
  const device = await at.device('camera');
  await at.rule('DeviceOffline', { ForMinutes: 1 });
  await at.leave(device);
  for (let n = 0; n < 6; n++) {
    at.restart();
    await at.pass(1);
  }
  assert.equal((await at.texts()).length, 1);
});

test('a silent rule sends nothing; what still fires afterwards is sent then', async () => {
  await open();
  const [one, two] = [await at.device('one'), await at.device('two')];
  const rule = await at.rule('DeviceOffline', { QuietMinutes: 10 });
  const until = at.now() + 60 * MINUTE;
  await at.leave(one);
  await at.pass();
  await at.leave(two);
  // Two is held back by the quiet time, and then by the silence.
  await at.pass(1);
  await at.db.write(async (tx) =>
    silenceRule(tx, await ruleById(tx, wholeAccount(FIRST_ACCOUNT), rule), { until, reason: 'maintenance' }),
  );
  await at.back(one);
  await at.pass(30);
  assert.equal((await at.texts()).length, 1);
  assert.equal((await at.firing())?.firing, 1);
  await at.pass(30);
  assert.deepEqual((await at.texts()).slice(1), ['two is Offline since 2026-11-23 10:00 UTC']);
});

test('a device that is back is reported after it was away for the time of the rule', async () => {
  await open();
  const [one, two] = [await at.device('one', { site: 'Graz' }), await at.device('two')];
  await at.rule('DeviceBack', { ForMinutes: 5 });
  await at.leave(one, two);
  await at.pass(4);
  await at.back(two);
  await at.pass(20);
  await at.back(one);
  await at.pass();
  assert.deepEqual(await at.texts(), ['one (Graz) is Online again, after 24 minutes']);
  assert.equal((await at.firing())?.firing, 0);
});

test('a trial of a rule finds what the rule itself would fire for, and how often it would have', async () => {
  await open();
  const trial = async (When: AlertEvent, more: Partial<RuleTrial> = {}) => {
    const tried = trialRow(FIRST_ACCOUNT, { When, ForMinutes: 5, ...more });
    const now = await wouldFire(at.db, tried, at.now(), 1);
    const past = await wouldHaveFired(at.db, tried, at.now());
    return [now?.count, now?.devices.map(({ DeviceName }) => DeviceName).join(), past?.fired];
  };
  const [one, two] = [await at.device('one', { group: 'shop' }), await at.device('two', { group: 'lab' })];
  await at.device('never there', { group: 'shop' });
  await at.leave(one, two);
  await at.pass(4);
  assert.deepEqual(await trial('DeviceOffline'), [0, '', 0]);
  await at.back(two);
  await at.pass(1);
  assert.deepEqual(await trial('DeviceOffline'), [1, 'one', 1]);
  assert.deepEqual(await trial('DeviceOffline', { DeviceGroup: 'lab' }), [0, '', 0]);
  assert.deepEqual(await trial('DeviceOffline', { ForMinutes: 0 }), [1, 'one', 2]);
  await at.back(one);
  await at.pass(1);
  assert.deepEqual(await trial('DeviceOffline'), [0, '', 1]);
  assert.deepEqual(await trial('DeviceBack'), [undefined, undefined, 1]);
  assert.deepEqual(await trial('DeviceBack', { ForMinutes: 0 }), [undefined, undefined, 2]);
  await at.pass(8 * 24 * 60);
  assert.deepEqual(await trial('DeviceOffline'), [0, '', 0]);
});

test('a rule for a group, a tag, a site or facts leaves the others out', async () => {
  await open();
  const [one, two] = [await at.device('one', { group: 'shop' }), await at.device('two', { site: 'Graz' })];
  await at.db.write(async (tx) => {
    await tx.run("INSERT INTO tags (id, account_id, name, created) VALUES ('t1', 1, 'tag', 0)");
    await tx.run("INSERT INTO device_tags (device_seq, tag_id) VALUES (?, 't1')", two);
  });
  await at.rule('DeviceOffline', { Name: 'group', DeviceGroup: 'shop' });
  await at.rule('DeviceOffline', { Name: 'tag', TagId: 't1' });
  await at.rule('DeviceOffline', { Name: 'site', CustomerSite: 'Graz' });
  await at.db.write(async (tx) => {
    for (const [seq, os] of [
      [one, 'debian'],
      [two, 'alpine'],
    ] as const)
      await storeFacts(tx, seq, [{ name: 'os', value: os }], 1);
  });
  await at.rule('DeviceOffline', { Name: 'fact', Facts: { os: 'alpine' } });
  await at.rule('DeviceOffline', { Name: 'fact of another group', Facts: { os: 'alpine' }, DeviceGroup: 'shop' });
  await at.rule('DeviceOffline', { Name: 'unknown fact', Facts: { os: 'alpine', rack: '7' } });
  await at.leave(one, two);
  await at.pass();
  const sent = (await at.messages()).map(({ rule, text }) => `${rule}: ${text.split(' ')[0]}`);
  assert.deepEqual(sent, ['group: one', 'tag: two', 'site: two', 'fact: two']);
});

test('a job is reported when it ended badly, by itself or with others', async () => {
  await open();
  const device = await at.device('camera');
  await at.rule('JobFailed', { Name: 'each' });
  await at.rule('JobFailed', { Name: 'hourly', QuietMinutes: 60 });
  const job = (name: string, status: string) => endedJob(device, name, status);
  await job('good', 'Succeeded');
  await job('bad', 'Failed');
  await at.pass();
  await job('cut', 'Interrupted');
  await job('worse', 'Failed');
  at.restart();
  await at.pass(1);
  await at.pass(59);
  assert.deepEqual(
    (await at.messages()).map(({ rule, text, job_id }) => `${rule} ${job_id}: ${text}`),
    [
      'each bad: Job “bad” failed on camera (exit code 3)',
      'hourly bad: Job “bad” failed on camera (exit code 3)',
      'each cut: Job “cut” was interrupted on camera (exit code 3)',
      'each worse: Job “worse” failed on camera (exit code 3)',
      'hourly : 2 jobs did not succeed:\nJob “cut” was interrupted on camera (exit code 3)\nJob “worse” failed on camera (exit code 3)',
    ],
  );
});

test('a trial of a rule for jobs counts those that ended badly, one to many once', async () => {
  await open();
  const [one, two] = [await at.device('one', { group: 'shop' }), await at.device('two', { group: 'lab' })];
  const failed = async (DeviceGroup?: string) => {
    const tried = trialRow(FIRST_ACCOUNT, { When: 'JobFailed', ForMinutes: 0, DeviceGroup });
    return (await failedLately(at.db, tried, at.now()))?.fired;
  };
  await endedJob(one, 'good', 'Succeeded');
  await endedJob(one, 'bad', 'Failed');
  await endedJob(one, 'cut', 'Interrupted');
  assert.deepEqual([await failed(), await failed('shop'), await failed('lab')], [2, 2, 0]);
  const set = (changes: string, id: string) =>
    at.db.write((tx) => tx.run(`UPDATE jobs SET ${changes} WHERE id = ?`, id));
  await set("verdict = 'RolledBack'", 'good');
  const many = await at.db.write((tx) =>
    insertRow(tx, "INSERT INTO jobs (id, account_id, name, status, created) VALUES ('p', 1, 'fw', 'Running', 0)"),
  );
  for (const id of ['bad', 'cut']) await set(`parent_seq = ${many}`, id);
  assert.equal(await failed(), 1);
  await set(`status = 'Failed', ended = ${at.now()}`, 'p');
  assert.equal(await failed(), 2);
  await set('superseded = 1', 'bad');
  await set(`device_seq = ${two}`, 'cut');
  assert.deepEqual([await failed(), await failed('shop'), await failed('lab')], [2, 1, 1]);
  await at.pass(8 * 24 * 60);
  assert.equal(await failed(), 0);
});

test('many jobs that fail together are one message, which a channel does not need hours for', async () => {
  await open();
  const device = await at.device('camera');
  await at.rule('JobFailed');
  for (let n = 1; n <= 5; n++) await endedJob(device, `few${n}`, 'Failed');
  await at.pass();
  assert.equal((await at.texts()).length, 5);
  for (let n = 1; n <= 200; n++) await endedJob(device, `many${n}`, 'Failed');
  await at.pass();
  const [message, ...others] = (await at.messages()).slice(5);
  assert.deepEqual([message?.job_id, others], ['', []]);
  const lines = message?.text.split('\n') ?? [];
  assert.deepEqual(
    [lines[0], lines[1], lines.at(-1)],
    ['200 jobs did not succeed:', 'Job “many1” failed on camera (exit code 3)', 'and 170 more'],
  );
});

test('a job with outcome rules is reported when it is judged, by its verdict', async () => {
  await open();
  const device = await at.device('camera');
  await at.rule('JobFailed');
  await at.db.write(async (tx) => {
    await tx.run(
      "INSERT INTO outcome_rules (account_id, name, rules, version, changed_by, changed) VALUES (1, 'fw', '[]', 1, '', 0)",
    );
    await tx.run(
      `INSERT INTO jobs (id, account_id, device_seq, device_name, name, rule_name, status, created)
       VALUES ('j1', 1, ?, 'camera', 'fw', 'fw', 'Running', 0)`,
      device,
    );
    await tx.run("UPDATE jobs SET status = 'Succeeded', exit_code = 0, ended = ? WHERE id = 'j1'", at.now());
  });
  await at.pass();
  assert.deepEqual(await at.texts(), []);
  await at.db.write(async (tx) => {
    const { seq = 0 } = (await tx.get<{ seq: number }>("SELECT seq FROM jobs WHERE id = 'j1'")) ?? {};
    const because = 'rule “rolled back” at line 2';
    await storeVerdicts(tx, [{ seq, verdict: 'RolledBack', because, stream: 'stdout', line: 2 }], []);
  });
  await at.pass();
  assert.deepEqual(await at.texts(), ['Job “fw” was rolled back on camera (because of rule “rolled back” at line 2)']);
});

test('a job to many is one message, with its figures', async () => {
  await open();
  const devices = [await at.device('a'), await at.device('b'), await at.device('c')];
  await at.rule('JobFailed');
  await at.db.write(async (tx) => {
    const parent = await insertRow(
      tx,
      "INSERT INTO jobs (id, account_id, name, status, created) VALUES ('p', 1, 'fw', 'Running', 0)",
    );
    await tx.run('INSERT INTO job_counts (job_seq, running) VALUES (?, 3)', parent);
    const parents: TouchedParents = new Map();
    for (const [n, device] of devices.entries()) {
      const seq = await insertRow(
        tx,
        `INSERT INTO jobs (id, account_id, parent_seq, device_seq, name, status, created)
         VALUES (?, 1, ?, ?, 'fw', 'Running', 0)`,
        `c${n}`,
        parent,
        device,
      );
      const job = { seq, parentSeq: parent, status: 'Running' } as const;
      await moveJob(tx, job, n === 0 ? 'Failed' : 'Succeeded', { ended: at.now() }, parents);
    }
    await refreshParents(tx, parents);
    await tx.run("UPDATE jobs SET verdict = 'NoAnswer' WHERE id = 'c1'");
  });
  await at.pass();
  const [message, ...others] = await at.messages();
  assert.deepEqual(others, []);
  assert.equal(message?.text, 'Job “fw” ended: 1 of 3 succeeded, 1 failed, 1 without an answer');
  const named = (JSON.parse(message?.devices ?? '') as { DeviceName: string }[]).map(({ DeviceName }) => DeviceName);
  assert.deepEqual(named, ['a', 'b']);
});

test('a paused rollout is queued in the unit of work that pauses it, for the rules of its devices', async () => {
  await open();
  const device = await at.device('camera', { group: 'shop' });
  await at.rule('RolloutPaused', { DeviceGroup: 'shop' });
  await at.rule('RolloutPaused', { DeviceGroup: 'other' });
  const alert = {
    event: 'RolloutPaused',
    text: 'Rollout “1.2” is paused',
    rolloutId: 'r1',
    deviceSeqs: [device],
  } as const;
  const failing = at.db.write(async (tx) => {
    await queueAlert(tx, FIRST_ACCOUNT, alert, at.now());
    throw new Error('not paused after all');
  });
  await assert.rejects(failing);
  await at.pass();
  assert.deepEqual(await at.texts(), []);
  await at.db.write((tx) => queueAlert(tx, FIRST_ACCOUNT, alert, at.now()));
  await at.pass();
  assert.deepEqual(await at.texts(), ['Rollout “1.2” is paused']);
});

test('a rule for a limit fires at the share that it sets, and stops when it is raised above what is used', async () => {
  await open();
  const eighty = await at.rule('QuotaNear', { Percent: 80 });
  await at.rule('QuotaNear');
  await at.db.write((tx) => tx.run('UPDATE accounts SET num_devices = 850'));
  await at.pass();
  await at.pass(1);
  assert.deepEqual(await at.texts(), ['850 of 1000 devices of the licence are used (85 %)']);
  await at.db.write(async (tx) =>
    updateRule(tx, await ruleById(tx, wholeAccount(FIRST_ACCOUNT), eighty), { Percent: 86 }, () => {}),
  );
  await at.pass();
  assert.equal((await at.db.get<{ firing: number }>('SELECT sum(firing) AS firing FROM alert_rules'))?.firing, 0);
});

test('a limit that is nearly reached is reported once, the disk too', async () => {
  await open();
  await at.rule('QuotaNear');
  await at.pass();
  await at.db.write((tx) => tx.run('UPDATE accounts SET num_devices = 900'));
  await at.pass();
  at.setDisk('Low');
  await at.pass(1);
  await at.pass(1);
  assert.deepEqual(await at.texts(), [
    '900 of 1000 devices of the licence are used (90 %)',
    'The disk of the service is nearly full',
  ]);
  at.setDisk('Enough');
  await at.pass(1);
  at.setDisk('Low');
  await at.pass(1);
  assert.equal((await at.texts()).length, 3);
});

test('a tunnel without a login is reported; its name, which is its only protection, is not in the message', async () => {
  await open();
  const device = await at.device('camera');
  await at.rule('TunnelPublic');
  await at.db.write((tx) =>
    tx.run(
      `INSERT INTO tunnels (name, account_id, device_seq, protocol, local_dest, created, connected)
       VALUES ('secretname', 1, ?, 'HTTP', 'http://127.0.0.1:80', 0, 0)`,
      device,
    ),
  );
  await at.pass();
  // Its agent is away for a moment.
  await at.db.write((tx) => tx.run('UPDATE tunnels SET connected = NULL'));
  await at.pass();
  await at.db.write((tx) => tx.run('UPDATE tunnels SET connected = 7'));
  await at.pass();
  assert.deepEqual(await at.texts(), [
    'camera has a tunnel to http://127.0.0.1:80 that is open to anyone with its address',
  ]);
});

test('a rule that changes to another event starts anew, and one without channels sends to nobody', async () => {
  await open();
  const device = await at.device('camera');
  const rule = await at.rule('DeviceOffline');
  await at.leave(device);
  await at.pass();
  await at.db.write(async (tx) =>
    updateRule(tx, await ruleById(tx, wholeAccount(FIRST_ACCOUNT), rule), { When: 'QuotaNear' }, () => {}),
  );
  await at.pass();
  assert.equal((await at.firing())?.firing, 0);
  await at.db.write((tx) => deleteChannel(tx, FIRST_ACCOUNT, at.channel));
  at.setDisk('Low');
  await at.pass();
  const deliveries = await at.db.all<{ because: string }>('SELECT because FROM alert_deliveries');
  assert.deepEqual(
    deliveries.map(({ because }) => because),
    ['the channel was deleted'],
  );
});

test('a unit of work that is lost, or whose end is, at any point: each job is in one message', async () => {
  // In turn: it is rolled back, it is committed but nothing after it happens, it goes well.
  let units = 0;
  await open({
    around: (db) => ({
      ...db,
      write: async (unit, options) => {
        const fate = units++ % 3;
        const result = await db.write(async (tx) => {
          const done = await unit(tx);
          if (fate === 0) throw new Error('killed before the commit');
          return done;
        }, options);
        if (fate === 1) throw new Error('killed after the commit');
        return result;
      },
    }),
  });
  const device = await at.device('camera');
  await at.rule('JobFailed');
  await at.rule('DeviceOffline', { QuietMinutes: 3 });
  const jobs = Array.from({ length: 20 }, (_, n) => `job${n}`);
  for (const [n, job] of jobs.entries()) {
    await endedJob(device, job, 'Failed');
    await (n % 2 ? at.back(device) : at.leave(device));
    at.restart();
    await at.pass(1).catch(() => {});
  }
  for (let n = 0; n < 12; n++) await at.pass(1).catch(() => {});
  const messages = await at.messages();
  const failed = messages.filter(({ event }) => event === 'JobFailed');
  const reported = failed.flatMap(({ text }) => [...text.matchAll(/“(.*?)”/g)].map(([, job]) => job));
  assert.deepEqual([reported.length, new Set(reported)], [jobs.length, new Set(jobs)]);
  const deliveries = await at.db.get<{ count: number }>('SELECT count(*) AS count FROM alert_deliveries');
  assert.equal(deliveries?.count, messages.length);
});
