// Facts of devices in the tables: what a report replaces, what it leaves out, and what goes with the last device.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { LONGEST_FACT, MOST_FACTS } from '#/contract/fact-values.ts';
import type { Database } from './database.ts';
import { deleteDevice, insertDevice } from './devices.ts';
import type { DeviceRow } from './devices.ts';
import { factsOf, reportOf, storeFacts } from './facts.ts';
import { openTestDatabase } from './test-database.ts';

async function fleet(t: TestContext, count = 1): Promise<{ db: Database; devices: DeviceRow[] }> {
  const db = await openTestDatabase();
  t.after(() => db.close());
  const devices = await db.write(async (tx) => {
    await tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (1, 'a@x', 9, 9, 0)");
    const made: DeviceRow[] = [];
    for (let n = 0; n < count; n++) made.push(await insertDevice(tx, 1, { DeviceName: 'unit', DeviceGroup: '' }, 1));
    return made;
  });
  return { db, devices };
}

const listed = (facts: Record<string, string>) => Object.entries(facts).map(([name, value]) => ({ name, value }));
const store = (db: Database, { seq }: DeviceRow, facts: Record<string, string>, at: number, problems?: string[]) =>
  db.write((tx) => storeFacts(tx, seq, listed(facts), at, problems));
const stored = async (db: Database, { seq }: DeviceRow) =>
  (await factsOf(db, seq)).map(({ name, value, at }) => [name, value, at]);
const countOf = async (db: Database, table: string) =>
  (await db.get<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`))?.rows;

test('a report replaces the facts of a device, and a value that stays keeps its time', async (t) => {
  const { db, devices } = await fleet(t);
  const [device] = devices as [DeviceRow];
  await store(db, device, { os: 'debian', arch: 'x64', kernel: '6.1' }, 10);
  await store(db, device, { os: 'debian', kernel: '6.2', 'disk.free': '' }, 20);
  assert.deepEqual(await stored(db, device), [
    ['disk.free', '', 20],
    ['kernel', '6.2', 20],
    ['os', 'debian', 10],
  ]);
  assert.equal((await reportOf(db, device.seq))?.at, 20);
});

test('a report without a change is noted once an hour', async (t) => {
  const { db, devices } = await fleet(t);
  const [device] = devices as [DeviceRow];
  await store(db, device, { os: 'debian' }, 10);
  await store(db, device, { os: 'debian' }, 20);
  assert.equal((await reportOf(db, device.seq))?.at, 10);
  await store(db, device, { os: 'debian' }, 3_600_010);
  assert.equal((await reportOf(db, device.seq))?.at, 3_600_010);
  assert.deepEqual(await stored(db, device), [['os', 'debian', 10]]);
});

test('what is no fact is left out and named, and the rest is stored', async (t) => {
  const { db, devices } = await fleet(t);
  const [device] = devices as [DeviceRow];
  const facts = {
    OS: 'x',
    'a-b': 'x',
    long: 'x'.repeat(LONGEST_FACT + 1),
    nul: 'a\u0000b\ud800',
    fits: 'ö'.repeat(512),
  };
  await store(db, device, facts, 10, ['site.sh ended with exit code 1']);
  assert.deepEqual(
    (await stored(db, device)).map(([name, value]) => [name, value]),
    [
      ['fits', 'ö'.repeat(512)],
      ['nul', 'a\ufffdb\ufffd'],
    ],
  );
  const { problems = [] } = (await reportOf(db, device.seq)) ?? {};
  assert.equal(problems[0], 'site.sh ended with exit code 1');
  assert.match(problems[1] ?? '', /^"OS" is not the name of a fact/);
  assert.match(problems[2] ?? '', /^"a-b" is not the name of a fact/);
  assert.match(problems[3] ?? '', /^long has 513 characters/);
  await store(db, device, { os: 'debian' }, 20);
  assert.deepEqual((await reportOf(db, device.seq))?.problems, []);
});

test('no device has more facts than the limit', async (t) => {
  const { db, devices } = await fleet(t);
  const [device] = devices as [DeviceRow];
  const many = Object.fromEntries(Array.from({ length: MOST_FACTS + 30 }, (_, n) => [`n${n}`, String(n)]));
  await store(db, device, many, 10);
  assert.equal((await stored(db, device)).length, MOST_FACTS);
  assert.equal((await reportOf(db, device.seq))?.problems.length, 20);
});

test('names and values are removed with the last device that has them', async (t) => {
  const { db, devices } = await fleet(t, 2);
  const [one, other] = devices as [DeviceRow, DeviceRow];
  await store(db, one, { os: 'debian', host: 'one' }, 10);
  await store(db, other, { os: 'debian' }, 10);
  assert.deepEqual([await countOf(db, 'fact_names'), await countOf(db, 'fact_values')], [2, 2]);
  await db.write((tx) => deleteDevice(tx, one));
  assert.deepEqual([await countOf(db, 'fact_names'), await countOf(db, 'fact_values')], [1, 1]);
  assert.deepEqual(await stored(db, other), [['os', 'debian', 10]]);
  await db.write((tx) => deleteDevice(tx, other));
  for (const table of ['fact_names', 'fact_values', 'device_facts', 'fact_reports'])
    assert.equal(await countOf(db, table), 0, table);
});
