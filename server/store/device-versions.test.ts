// Which version runs where, from jobs of an earlier version, which get the name of their outcome rules at a start.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countVersions } from './device-versions.ts';
import { insertDevice } from './devices.ts';
import { nameJobs } from './rules.ts';
import { wholeAccount } from './scope.ts';
import { openTestDatabase } from './test-database.ts';

const account = 1;

interface OldJob {
  device?: number;
  artifact?: string;
  /** The version is not known where the artifact had been deleted. */
  version?: string;
  parent?: number;
  status: string;
  verdict?: string;
}

test('the last success of each device counts once its jobs have a name, if the version is known', async (t) => {
  const db = await openTestDatabase();
  t.after(() => db.close());
  const addDevice = () =>
    db.write(async (tx) => (await insertDevice(tx, account, { DeviceName: 'unit', DeviceGroup: '' }, 1)).seq);
  const addJob = ({ device, artifact, version, parent, status, verdict }: OldJob) =>
    db.write(async (tx) => {
      const row = await tx.get<{ seq: number }>(
        `INSERT INTO jobs (id, account_id, device_seq, parent_seq, name, artifact_id, artifact_version, status, verdict, created, ended)
         VALUES (?, ?, ?, ?, 'job', ?, ?, ?, ?, 1, 2) RETURNING seq`,
        crypto.randomUUID(),
        account,
        device ?? null,
        parent ?? null,
        artifact ?? null,
        version ?? null,
        status,
        verdict ?? null,
      );
      return row?.seq ?? 0;
    });
  await db.write(async (tx) => {
    await tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (1, 'a@x', 9, 9, 0)");
    for (const [id, version] of [
      ['a1', '1'],
      ['a2', '2'],
    ] as const)
      await tx.run(
        `INSERT INTO artifacts (id, account_id, name, version, size_given, size_bytes, sha256, is_script, created)
         VALUES (?, 1, 'myapp.sh', ?, 1, 1, '', 1, 1)`,
        id,
        version,
      );
  });
  const [one, two, three] = [await addDevice(), await addDevice(), await addDevice()];
  const parent = await addJob({ artifact: 'a1', version: '1', status: 'Failed' });
  await addJob({ device: one, parent, artifact: 'a1', status: 'Succeeded' });
  await addJob({ device: two, parent, artifact: 'a1', status: 'Succeeded' });
  await addJob({ device: three, parent, artifact: 'a1', status: 'Failed' });
  await addJob({ device: one, artifact: 'a2', version: '2', status: 'Succeeded' });
  await addJob({ device: two, artifact: 'a2', version: '2', status: 'Succeeded', verdict: 'RolledBack' });
  await addJob({ device: three, artifact: 'lost', status: 'Succeeded' });
  assert.deepEqual(await countVersions(db, wholeAccount(account)), []);

  await nameJobs(db);
  assert.deepEqual(
    (await countVersions(db, wholeAccount(account))).map(({ artifact_name: name, version, devices }) => [
      name,
      version,
      devices,
    ]),
    [
      ['myapp', '1', 1],
      ['myapp', '2', 1],
    ],
  );
});
