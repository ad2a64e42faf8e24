// A restore that is killed, at whatever stage, leaves nothing that a service would start on; the next one fills the place.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { endProcesses, TestProcess, until } from '../../scripts/test-process.ts';
import { onPostgres } from '../store/test-database.ts';
import { UNFINISHED_FOLDER } from '../store/unfinished-restore.ts';
import { makeBackup } from './make-backup.ts';
import { readPlaces } from './places.ts';
import { restoreBackup } from './restore-backup.ts';
import { answersTheSame, dropPlaces, emptyPlace, fillFolder, refused, startAt, startStore } from './test-source.ts';
import type { Filled } from './test-source.ts';

const KILL_AT = new URL('../store/test-kill-at.ts', import.meta.url).href;
const UNFINISHED = /cannot be used: a restore to it is under way or was not finished\. Run that restore again/;

let root: string;
let filled: Filled;
let file: string;
before(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'muster-killed-'));
  const source = path.join(root, 'source');
  filled = await fillFolder(source);
  file = path.join(root, 'backup.tar');
  await makeBackup(readPlaces({ DATA_DIR: source }), file);
});
after(async () => {
  await endProcesses();
  await dropPlaces();
  rmSync(root, { recursive: true, force: true });
});

let count = 0;
const newPlace = () => emptyPlace(path.join(root, `place-${(count += 1)}`));

const stages: [stage: string, statement: string][] = [
  ['while rows are read', 'INSERT INTO "jobs"'],
  ['when all was read', 'SELECT count(*) AS n FROM'],
  ['while states are changed', 'UPDATE devices SET online = 0'],
  ['when states were changed', 'COMMIT'],
];
if (onPostgres)
  stages.push(['while PostgreSQL is filled', 'INSERT INTO jobs '], ['when PostgreSQL was filled', 'ADD CONSTRAINT']);

for (const [stage, statement] of stages)
  void test(`a restore that is killed ${stage}`, async (t) => {
    const place = await newPlace();
    const program = new TestProcess(['--import', KILL_AT, 'server/restore.ts', file], {
      env: { ...place, KILL_AT: statement },
    });
    assert.equal(await program.ended, null, program.printed);
    await refused(startAt(t, place), UNFINISHED);
    await restoreBackup(readPlaces(place), file);
    await answersTheSame(t, filled, place);
  });

test('a restore that is killed while artifacts go to a store; meanwhile nothing else can use the place', async (t) => {
  const s3 = await startStore(t);
  const place = { ...(await newPlace()), ...s3.env };
  s3.trouble = ({ method, key }) => (method === 'PUT' && /\/\w{16}$/.test(key) ? 'no answer' : undefined);
  const program = new TestProcess(['server/restore.ts', file], { env: place });
  await until('an upload', () => s3.asked.some((each) => /^PUT .*\/\w{16}$/.test(each)));
  await refused(startAt(t, place), UNFINISHED);
  await refused(restoreBackup(readPlaces(place), file), /^Another Muster service is using /);
  await program.end('SIGKILL');
  await refused(startAt(t, place), UNFINISHED);
  s3.trouble = () => undefined;
  assert.equal((await restoreBackup(readPlaces(place), file)).artifacts, 2);
  await answersTheSame(t, filled, place);
});

test('a place whose restore ended before its last step is refused', async (t) => {
  const place = await newPlace();
  await restoreBackup(readPlaces(place), file);
  const mark = path.join(place.DATA_DIR, UNFINISHED_FOLDER);
  mkdirSync(mark);
  await refused(startAt(t, place), UNFINISHED);
  // In PostgreSQL all of it is valid by then.
  if (onPostgres) {
    await refused(restoreBackup(readPlaces(place), file), /is not empty: it holds the tables of a Muster service/);
    rmSync(mark, { recursive: true });
  } else await restoreBackup(readPlaces(place), file);
  await answersTheSame(t, filled, place);
});

if (onPostgres)
  void test('when the answer to the commit is lost, nothing that may be in use is removed', async (t) => {
    const place = await newPlace();
    const { Client } = await import('pg');
    const query = Reflect.get(Client.prototype, 'query') as (this: unknown, ...args: unknown[]) => Promise<unknown>;
    t.mock.method(Client.prototype, 'query', async function lose(this: unknown, ...args: unknown[]) {
      const answer = await query.apply(this, args);
      if (args[0] === 'COMMIT') throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      return answer;
    });
    await refused(
      restoreBackup(readPlaces(place), file),
      /cannot be reached any longer .* is not known\. Run the restore/,
    );
    t.mock.restoreAll();
    await refused(startAt(t, place), UNFINISHED);
    await refused(restoreBackup(readPlaces(place), file), /is not empty/);
    rmSync(path.join(place.DATA_DIR, UNFINISHED_FOLDER), { recursive: true });
    await answersTheSame(t, filled, place);
  });

test('what an unfinished move of an earlier version left is still refused', async (t) => {
  const place = await newPlace();
  mkdirSync(path.join(place.DATA_DIR, 'unfinished-move'), { recursive: true });
  await refused(startAt(t, place), UNFINISHED);
  await refused(restoreBackup(readPlaces(place), file), /is not empty \(it holds unfinished-move\)/);
});

test('a backup that is stopped leaves no part of a file', async () => {
  const folder = path.join(root, 'backups');
  mkdirSync(folder);
  const env = { DATA_DIR: path.join(root, 'source') };
  const program = new TestProcess(['server/backup.ts', path.join(folder, 'stopped.tar')], { env });
  await until('a part', () => readdirSync(folder).length > 0);
  await program.end('SIGTERM');
  assert.deepEqual(
    readdirSync(folder).filter((name) => name !== 'stopped.tar'),
    [],
  );
});
