// What happens in one account is told by no rule of another.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { queueAlert } from '../store/alert-firing.ts';
import { insertDevice } from '../store/devices.ts';
import { CAUSES, noteState } from '../store/state-history.ts';
import { openTestAlerts } from './test-alerts.ts';
import type { TestAlerts } from './test-alerts.ts';

const OTHER = 2;
let at: TestAlerts;
/** A device of the other account. */
let theirs: number;
beforeEach(async () => {
  at = await openTestAlerts();
  theirs = await at.db.write(async (tx) => {
    await tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (2, 'b@x', 9, 9, 0)");
    const { seq } = await insertDevice(tx, OTHER, { DeviceName: 'theirs', DeviceGroup: 'hall' }, at.now());
    await tx.run("UPDATE devices SET site = 'site', last_seen = ? WHERE seq = ?", at.now(), seq);
    await noteState(tx, seq, CAUSES.connected, at.now());
    return seq;
  });
});
afterEach(() => at.close());

test('a device of another account that goes away fires nothing, and is not counted for its site', async () => {
  await at.rule('DeviceOffline');
  await at.rule('DeviceBack');
  await at.rule('DeviceOffline', { DeviceGroup: 'hall' });
  await at.rule('DeviceOffline', { CustomerSite: 'site' });
  await at.leave(theirs);
  await at.pass(5);
  assert.equal((await at.firing())?.firing, 0);
  await at.back(theirs);
  await at.pass(5);
  assert.deepEqual(await at.texts(), []);
  const ours = await at.device('ours', { site: 'site', group: 'hall' });
  await at.leave(theirs, ours);
  await at.pass(5);
  const texts = await at.texts();
  assert.equal(texts.length, 3);
  for (const text of texts) assert.match(text, /^ours (\(site\) )?is Offline/);
});

test('a tunnel of another account fires nothing', async () => {
  await at.rule('TunnelPublic');
  await at.db.write((tx) =>
    tx.run(
      `INSERT INTO tunnels (name, account_id, device_seq, protocol, local_dest, run, login, offered, connected, created)
       VALUES ('t', ?, ?, 'HTTP', 'http://x', 'run', 0, 1, 1, 1)`,
      OTHER,
      theirs,
    ),
  );
  await at.pass(5);
  assert.deepEqual([await at.texts(), (await at.firing())?.firing], [[], 0]);
});

test('a rollout and a job of another account are told to none of its rules', async () => {
  for (const event of ['RolloutEnded', 'RolloutPaused', 'JobFailed'] as const) await at.rule(event);
  await at.db.write((tx) =>
    queueAlert(tx, OTHER, { event: 'RolloutEnded', text: 'ended', rolloutId: 'r', deviceSeqs: [theirs] }, at.now()),
  );
  await at.db.write(async (tx) => {
    await tx.run(
      `INSERT INTO jobs (id, account_id, device_seq, device_id, device_name, name, status, created)
       VALUES ('j', ?, ?, 'd', 'theirs', 'job', 'Running', 0)`,
      OTHER,
      theirs,
    );
    await tx.run("UPDATE jobs SET status = 'Failed', ended = 5, exit_code = 3 WHERE id = 'j'");
  });
  await at.pass(5);
  assert.deepEqual(await at.texts(), []);
});
