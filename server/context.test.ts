// Starts with a broken DATA_DIR: one sentence that says what is wrong and what to do, and nothing is changed.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { ConfigError } from './config-error.ts';
import { readConfig } from './config.ts';
import { openContext } from './context.ts';

let folder: string;
let good: string;
const open = (dataDir: string) => openContext(readConfig({ DATA_DIR: dataDir }));
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'muster-context-'));
  good = path.join(folder, 'good');
  await (await open(good)).close();
});
after(() => rmSync(folder, { recursive: true, force: true }));

const sqlite = (name: string, sql: string) => (at: string) => {
  const raw = new DatabaseSync(path.join(at, name));
  raw.exec(sql);
  raw.close();
};
const write =
  (name: string, bytes = '') =>
  (at: string) =>
    writeFileSync(path.join(at, name), bytes);
const overwrite = (at: string) => {
  const bytes = readFileSync(path.join(at, 'muster.db'));
  bytes.fill(0x55, 3 * 4096, 12 * 4096);
  writeFileSync(path.join(at, 'muster.db'), bytes);
};
const remove = (name: string) => (at: string) => rmSync(path.join(at, name), { recursive: true });

const cases: [what: string, spoil: (at: string) => void, says: RegExp][] = [
  [
    'a file of another kind',
    write('muster.db', 'text '.repeat(1000)),
    /muster\.db is not a database .*Restore a backup/,
  ],
  ['a few bytes', write('muster.db', 'x'), /muster\.db is not a database .*Restore a backup/],
  ['a cut file', (at) => truncateSync(path.join(at, 'muster.db'), 8192), /muster\.db is damaged: its last \d+ bytes/],
  ['overwritten pages', overwrite, /muster\.db is damaged \(.*\)\. Restore a backup/],
  ["another program's tables", sqlite('muster.db', 'ALTER TABLE accounts RENAME TO x'), /database of another program/],
  ['a newer version', sqlite('muster.db', 'PRAGMA user_version = 999'), /newer version of Muster \(its step 999/],
  ['a folder', (at) => (remove('muster.db')(at), mkdirSync(path.join(at, 'muster.db'))), /muster\.db is a folder/],
  ['a broken lock', write('muster.lock', 'x'.repeat(5000)), /lock file .* cannot be used .*delete the lock file/],
  [
    'no database',
    remove('muster.db'),
    /muster\.db is missing, but 1 artifact file in .* belongs to one: .*Nothing was ch/,
  ],
  ['an empty file', write('muster.db'), /muster\.db is empty, but 1 artifact file in .* belongs to one/],
  [
    'a database without tables',
    (at) => (remove('muster.db')(at), sqlite('muster.db', 'VACUUM')(at)),
    /muster\.db is empty, but 1 artifact file in .* belongs to one/,
  ],
  [
    'a log without its database',
    (at) => (remove('muster.db')(at), write('muster.db-wal', 'x'.repeat(9000))(at)),
    /muster\.db is missing, but 1 artifact file and its log in .* belong to one/,
  ],
];
for (const [number, [what, spoil, says]] of cases.entries())
  test(`refuses ${what}`, async () => {
    const at = path.join(folder, `case-${number}`);
    cpSync(good, at, { recursive: true });
    writeFileSync(path.join(at, 'artifacts', 'abc'), 'an artifact');
    spoil(at);
    await assert.rejects(open(at), (cause) => {
      assert.ok(cause instanceof ConfigError, String(cause));
      assert.match(cause.message, says);
      assert.doesNotMatch(cause.message, /\n/);
      return true;
    });
    assert.equal(readFileSync(path.join(at, 'artifacts', 'abc'), 'utf8'), 'an artifact');
  });
