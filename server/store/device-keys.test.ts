// The device of a key while that key takes the place of the one before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reader } from './database.ts';
import { deviceByKeyHash, insertKeyedDevice } from './devices.ts';
import { hashSecret } from './ids.ts';
import { askForRotation, noteSentKey, takeKey } from './key-rotation.ts';
import { openTestDatabase } from './test-database.ts';

const [OLD, NEXT] = [hashSecret('old'), hashSecret('next')];

test('a key that a device was sent is found, also if it replaces the old one between two statements', async (t) => {
  const db = await openTestDatabase();
  t.after(() => db.close());
  const { seq } = await db.write(async (tx) => {
    await tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (1, 'a@x', 9, 9, 0)");
    const device = await insertKeyedDevice(tx, 1, { DeviceName: 'unit', DeviceGroup: '' }, OLD, 1);
    await askForRotation(tx, device.seq, 1);
    await noteSentKey(tx, device.seq, NEXT, 1);
    return device;
  });
  const found = async (reader: Reader, key: Uint8Array) => {
    const { seq: device, isNext } = (await deviceByKeyHash(reader, key)) ?? {};
    return [device, isNext];
  };
  assert.deepEqual(await found(db, OLD), [seq, false]);
  assert.deepEqual(await found(db, NEXT), [seq, true]);

  // The device uses its new key after the first statement of the look-up.
  let statements = 0;
  const overtaken: Reader = {
    ...db,
    get: async <T>(sql: string, ...args: Parameters<Reader['get']>[1][]) => {
      const row = await db.get<T>(sql, ...args);
      if (++statements === 1) await db.write((tx) => takeKey(tx, seq, NEXT, 2));
      return row;
    },
  };
  assert.deepEqual(await found(overtaken, NEXT), [seq, true]);
  assert.deepEqual(await found(db, NEXT), [seq, false]);
  assert.deepEqual(await found(db, OLD), [undefined, undefined]);
});
