// Which version runs where, in a database of an earlier version: filled from its jobs.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Database } from './database.ts';
import { DEVICE_VERSIONS_TABLE } from './device-version-table.ts';
import { countVersions } from './device-versions.ts';
import { insertDevice } from './devices.ts';
import { inPostgres } from './postgres-migrate.ts';
import { nameJobs } from './rules.ts';
import { onPostgres, openTestDatabase } from './test-database.ts';

let db: Database;
const account = 1;
beforeEach(async () => {
  db = await openTestDatabase();
  await db.write((tx) =>
    tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (1, 'a@x', 9, 9, 0)"),
  );
});
afterEach(() => db.close());

interface OldJob {
  device?: number;
  artifact?: string;
  parent?: number;
  status: string;
  verdict?: string;
  name?: string | null;
}
const addJob = ({ device, artifact, parent, status, verdict, name = 'myapp' }: OldJob) =>
  db.write(async (tx) => {
    const row = await tx.get<{ seq: number }>(
      `INSERT INTO jobs (id, account_id, device_seq, parent_seq, name, artifact_id, rule_name, status, verdict, created, ended)
       VALUES (?, ?, ?, ?, 'job', ?, ?, ?, ?, 1, 2) RETURNING seq`,
      crypto.randomUUID(),
      account,
      device ?? null,
      parent ?? null,
      artifact ?? null,
      parent === undefined ? name : null,
      status,
      verdict ?? null,
    );
    return row?.seq ?? 0;
  });
const addDevice = () =>
  db.write(async (tx) => (await insertDevice(tx, account, { DeviceName: 'unit', DeviceGroup: '' }, 1)).seq);

/** Takes the table away as if it had never been there, and migrates again. */
const migrate = () =>
  db.write(async (tx) => {
    await tx.run('DROP TABLE device_versions');
    await tx.run('ALTER TABLE jobs DROP COLUMN artifact_version');
    const steps = onPostgres ? inPostgres(DEVICE_VERSIONS_TABLE) : DEVICE_VERSIONS_TABLE;
    for (const step of steps.split(';\n')) if (step.trim()) await tx.run(step);
  });

async function fleetOfJobs(name: string | null) {
  const [one, two, three] = [await addDevice(), await addDevice(), await addDevice()];
  for (const [id, version] of [
    ['a1', '1'],
    ['a2', '2'],
  ])
    await db.write((tx) =>
      tx.run(
        `INSERT INTO artifacts (id, account_id, name, version, size_given, size_bytes, sha256, is_script, destination,
           run_command, folder, created) VALUES (?, ?, 'myapp.sh', ?, 1, 1, '', 1, '/', 'true', '', 1)`,
        id ?? '',
        account,
        version ?? '',
      ),
    );
  const parent = await addJob({ artifact: 'a1', status: 'Failed', name });
  await addJob({ device: one, parent, artifact: 'a1', status: 'Succeeded' });
  await addJob({ device: two, parent, artifact: 'a1', status: 'Succeeded' });
  await addJob({ device: three, parent, artifact: 'a1', status: 'Failed' });
  await addJob({ device: one, artifact: 'a2', status: 'Succeeded', name });
  await addJob({ device: two, artifact: 'a2', status: 'Succeeded', verdict: 'RolledBack', name });
  await addJob({ device: three, artifact: 'lost', status: 'Succeeded', name });
}
const expected = [
  { artifact_name: 'myapp', version: '1', devices: 1 },
  { artifact_name: 'myapp', version: '2', devices: 1 },
];
const counts = async () => (await countVersions(db, account)).map((row) => ({ ...row }));

test('the last success of each device is taken over, as far as the version is known', async () => {
  await fleetOfJobs('myapp');
  await migrate();
  assert.deepEqual(await counts(), expected);
});

test('jobs that get their name after the migration are noted then', async () => {
  await fleetOfJobs(null);
  await migrate();
  assert.deepEqual(await counts(), []);
  await nameJobs(db);
  assert.deepEqual(await counts(), expected);
});
