// The key that updates are signed with, and the numbers of builds: one of each, however many services use the database.
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Signed } from '#/contract/agent-link.ts';
import type { Database } from './database.ts';
import { openDatabase } from './sqlite.ts';
import { createTestDatabase, onPostgres, openTestDatabase } from './test-database.ts';
import { buildNumbers, changeUpdateKey, numberBuild, replaceUpdateKey, setUpUpdateKey } from './update-key.ts';

const cleanUps: (() => unknown)[] = [];
after(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
});

/** A database that several services have open. */
async function openShared(count: number): Promise<Database[]> {
  const opened: Database[] = [];
  if (onPostgres) {
    const { openPostgres } = await import('./postgres.ts');
    const { url, drop } = await createTestDatabase();
    while (opened.length < count) opened.push(await openPostgres(url));
    cleanUps.push(drop);
  } else {
    const folder = mkdtempSync(path.join(tmpdir(), 'muster-key-'));
    while (opened.length < count) opened.push(openDatabase(path.join(folder, 'muster.db')));
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  }
  cleanUps.unshift(() => Promise.all(opened.map((db) => db.close())));
  return opened;
}

const isSigned = (publicKey: string, { statement, signature }: Signed) =>
  verify(
    null,
    Buffer.from(statement),
    createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' }),
    Buffer.from(signature, 'base64'),
  );

test('services that start at once make one key, which a later start finds', async () => {
  const services = await openShared(4);
  const keys = await Promise.all(services.map((db) => db.write((tx) => setUpUpdateKey(tx, undefined))));
  assert.equal(new Set(keys.map(({ publicKey }) => publicKey)).size, 1);
  const [one, other] = keys;
  assert.ok(one && other);
  const content = { Kind: 'agent', Sha256: 'a'.repeat(64), Size: 1, Version: '1', Sequence: 1 } as const;
  const signed = one.sign(content);
  assert.deepEqual(JSON.parse(signed.statement), content);
  assert.ok(isSigned(other.publicKey, signed));
  assert.ok(!isSigned(other.publicKey, { ...signed, statement: `${signed.statement} ` }));
});

test('a key that takes the place of another is signed by that', async () => {
  const db = await openTestDatabase();
  const first = await db.write((tx) => setUpUpdateKey(tx, undefined));
  const second = await db.write((tx) => changeUpdateKey(tx, undefined));
  const third = await db.write((tx) => changeUpdateKey(tx, undefined));
  assert.deepEqual(third.earlier, [first.publicKey, second.publicKey]);
  assert.deepEqual(
    third.changes.map(({ statement }) => JSON.parse(statement) as unknown),
    [
      { Kind: 'key', Key: second.publicKey },
      { Kind: 'key', Key: third.publicKey },
    ],
  );
  assert.deepEqual(
    third.changes.map((change, at) => isSigned(third.earlier[at] ?? '', change)),
    [true, true],
  );
  assert.equal((await db.write((tx) => setUpUpdateKey(tx, undefined))).publicKey, third.publicKey);
  await db.close();
});

test('with a secret the database alone cannot sign', async () => {
  const db = await openTestDatabase();
  const secret = 's'.repeat(40);
  const setUp = (given?: string) => db.write((tx) => setUpUpdateKey(tx, given));
  const stored = async () =>
    (await db.get<{ value: string }>("SELECT value FROM settings WHERE key = 'update_key'"))?.value;
  const privateKey = async () =>
    Buffer.from((JSON.parse((await stored()) ?? '') as { Private: string }).Private, 'base64');
  const content = { Kind: 'key', Key: `${'A'.repeat(59)}=` } as const;
  const { publicKey, sign } = await setUp();
  const plain = createPrivateKey({ key: await privateKey(), format: 'der', type: 'pkcs8' });
  const raw = plain.export({ format: 'der', type: 'pkcs8' }).subarray(-32);

  const sealed = await setUp(secret);
  assert.equal(sealed.publicKey, publicKey, 'the key is the same');
  assert.deepEqual(sealed.sign(content), sign(content));
  assert.ok(!(await privateKey()).includes(raw));
  for (const wrong of [undefined, 'x'.repeat(40)]) {
    const other = await setUp(wrong);
    assert.equal(other.publicKey, publicKey);
    assert.throws(() => other.sign(content), /key that signs updates is sealed/);
    await assert.rejects(
      db.write((tx) => changeUpdateKey(tx, wrong)),
      /sealed/,
    );
  }
  assert.deepEqual((await setUp(secret)).sign(content), sign(content));
  const changed = await db.write((tx) => changeUpdateKey(tx, secret));
  assert.deepEqual(changed.earlier, [publicKey]);
  const replaced = await db.write((tx) => replaceUpdateKey(tx, secret));
  assert.deepEqual([replaced.earlier, replaced.changes], [[], []]);
  await db.close();
});

test('a build keeps its number on every node, and a later one has a higher', async () => {
  const [one, other] = await openShared(2);
  assert.ok(one && other);
  const now = Date.parse('2026-01-01T00:00:00Z');
  const [old, newer] = await Promise.all([
    one.write((tx) => numberBuild(tx, 'a', now)),
    other.write((tx) => numberBuild(tx, 'b', now)),
  ]);
  assert.notEqual(old, newer);
  assert.ok(Math.min(old, newer) === now / 1000);
  for (const db of [other, one]) {
    assert.equal(await db.write((tx) => numberBuild(tx, 'a', now + 60_000)), old);
    assert.equal(await db.write((tx) => numberBuild(tx, 'b', now + 60_000)), newer);
  }
  // A clock that was set back.
  const last = await one.write((tx) => numberBuild(tx, 'c', now - 86_400_000));
  assert.equal(last, Math.max(old, newer) + 1);
  assert.deepEqual(Object.fromEntries(await buildNumbers(other)), { a: old, b: newer, c: last });
});
