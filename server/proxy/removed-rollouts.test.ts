import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { listen } from '../auth/test-gateway.ts';
import { readConfig } from '../config.ts';
import { startGateway } from './upstream-service.ts';

interface SavedRollout {
  Name: string;
  State: string;
  Settings: unknown;
  Devices: { DeviceId: string; JobId: string; JobStatus: string }[];
}

/** The data folder of a version that still ran rollouts. */
function earlierFolder(t: TestContext, fill: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-removed-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const sqlite = new DatabaseSync(path.join(folder, 'gateway.db'));
  sqlite.exec(readFileSync(path.join(import.meta.dirname, '../store/fixtures/gateway-3.sql'), 'utf8'));
  sqlite.exec(`
    INSERT INTO accounts (id, upstream, email) VALUES (1, 'https://api.example.com', 'ops@example.com');
    INSERT INTO devices (seq, id, account_id, name, state_online, state_time)
      VALUES (1, 'd1', 1, 'pump 1', 1, 0), (2, 'd2', 1, 'pump 2', 1, 0);
    ${fill}`);
  sqlite.close();
  return folder;
}

const rollout = (seq: number, state: string) => `
  INSERT INTO rollouts (seq, id, account_id, name, settings, state, wave, waves, actor, address, created)
    VALUES (${seq}, 'r${seq}', 1, 'pumps ${seq}', '{"ArtifactId":"a1"}', '${state}', 0, 2, 'account:ops', '', 1000);
  INSERT INTO rollout_devices (rollout_seq, device_id, device_name, wave)
    VALUES (${seq}, 'd1', 'pump 1', 0), (${seq}, 'd2', 'pump 2', 1);
  INSERT INTO jobs (seq, account_id, device_id, name, payload, status) VALUES (${seq * 10}, 1, '', 'wave', '{}', 'Waiting');
  INSERT INTO rollout_waves (rollout_seq, number, job_seq, began) VALUES (${seq}, 0, ${seq * 10}, 2000);`;
const job = (seq: number, status: string) => `
  INSERT INTO jobs (id, account_id, parent_seq, device_seq, device_id, name, payload, status, sent)
    VALUES ('j${seq}', 1, ${seq * 10}, 1, 'd1', 'wave [x-1]', '{}', '${status}', 3000);`;

async function startOn(t: TestContext, folder: string) {
  const upstream = await listen(t, (_, response) => response.end('{}'));
  const gateway = await startGateway(readConfig({ PORT: '0', DATA_DIR: folder, UPSTREAM_URL: upstream }));
  await gateway.close();
}
const tablesIn = (folder: string) => {
  const sqlite = new DatabaseSync(path.join(folder, 'gateway.db'), { readOnly: true });
  const rows = sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  sqlite.close();
  return rows.map(({ name }) => String(name));
};
const removedIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('removed'));

test('unfinished rollouts are written to a file before their tables are dropped', async (t) => {
  const ended = rollout(2, 'Succeeded') + job(2, 'Succeeded');
  const aborted = rollout(3, 'Aborted') + job(3, 'Waiting');
  const folder = earlierFolder(t, rollout(1, 'Running') + job(1, 'Succeeded') + ended + aborted);
  await startOn(t, folder);
  const file = path.join(folder, 'removed-rollouts.json');
  const { Rollouts } = JSON.parse(readFileSync(file, 'utf8')) as { Rollouts: SavedRollout[] };
  assert.deepEqual(
    Rollouts.map(({ Name, State }) => [Name, State]),
    [
      ['pumps 1', 'Running'],
      ['pumps 3', 'Aborted'],
    ],
  );
  assert.deepEqual(Rollouts[0]?.Settings, { ArtifactId: 'a1' });
  assert.deepEqual(
    Rollouts[0]?.Devices.map(({ DeviceId, JobId, JobStatus }) => [DeviceId, JobId, JobStatus]),
    [
      ['d1', 'j1', 'Succeeded'],
      ['d2', '', 'NotSubmitted'],
    ],
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(tablesIn(folder).toSorted(), ['sealed_sessions', 'settings']);
  writeFileSync(file, 'edited by a person');
  await startOn(t, folder);
  assert.equal(readFileSync(file, 'utf8'), 'edited by a person');
  assert.deepEqual(removedIn(folder), ['removed-rollouts.json']);
});

test('a file that is there already keeps its content', async (t) => {
  const folder = earlierFolder(t, rollout(1, 'Paused'));
  writeFileSync(path.join(folder, 'removed-rollouts.json'), '{"Rollouts":[]}');
  await startOn(t, folder);
  assert.equal(readFileSync(path.join(folder, 'removed-rollouts.json'), 'utf8'), '{"Rollouts":[]}');
  assert.match(readFileSync(path.join(folder, 'removed-rollouts-2.json'), 'utf8'), /pumps 1/);
});

test('nothing is written where all rollouts have finished', async (t) => {
  const folder = earlierFolder(t, rollout(1, 'Failed') + job(1, 'Failed'));
  await startOn(t, folder);
  assert.deepEqual(removedIn(folder), []);
});

test('a gateway from before its rollouts had outcomes is refused before a byte is written', async (t) => {
  const folder = earlierFolder(t, 'PRAGMA user_version = 2;');
  const before = readFileSync(path.join(folder, 'gateway.db'));
  await assert.rejects(startOn(t, folder), /too old .*Check out the tag schema-1/);
  assert.deepEqual(readFileSync(path.join(folder, 'gateway.db')), before);
  assert.deepEqual(readdirSync(folder), ['gateway.db']);
});
