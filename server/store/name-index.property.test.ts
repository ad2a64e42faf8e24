// Names in memory find what a scan of the table finds, however devices came, were renamed and went.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { holds, wellFormedText } from '../../scripts/test-property.ts';
import type { Database } from './database.ts';
import { matchesAmong } from './device-list.ts';
import { insertDevice, updateDevice } from './devices.ts';
import { fold } from '#/contract/fold.ts';
import { NAMED_DEVICES, openNameIndex } from './name-index.ts';
import { wholeAccount } from './scope.ts';
import { openTestDatabase } from './test-database.ts';

let db: Database;
let accounts = 0;
before(async () => {
  db = await openTestDatabase();
});
after(() => db.close());

// Names share beginnings, as those of a fleet do; U+0000 is no text for PostgreSQL.
const name = fc
  .tuple(fc.constantFrom('', 'pump ', 'Straße ', 'ΣΊΣΥΦΟΣ', '100%_'), wellFormedText(6))
  .map((parts) => parts.join('').replaceAll('\0', ''));
const at = fc.nat(30);
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), name }),
  fc.record({ do: fc.constant('rename' as const), at, name }),
  fc.record({ do: fc.constant('delete' as const), at }),
  fc.record({ do: fc.constant('find' as const), at, from: fc.nat(6), length: fc.integer({ min: 1, max: 4 }) }),
);

test('a part of a name or id finds the same devices as reading all of them', () =>
  holds(
    60,
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 40 }), async (steps) => {
      const account = ++accounts + 10;
      await db.write((tx) =>
        tx.run(
          "INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (?, '', 1000, 0, 0)",
          account,
        ),
      );
      const index = openNameIndex(db, NAMED_DEVICES);
      const devices: { seq: number; id: string; name: string }[] = [];
      const expect = async (part: string, of: 'name' | 'id') => {
        const parts = of === 'name' ? [fold(part)] : [undefined, fold(part)];
        const seqs = devices
          .filter((device) => fold(device[of]).includes(fold(part)))
          .map(({ seq }) => seq)
          .toSorted((one, other) => one - other);
        const found = await index.find(account, parts, { limit: 1000 });
        assert.deepEqual(await matchesAmong(db, wholeAccount(account), {}, found), seqs);
        const backwards = await index.find(account, parts, { before: Number.MAX_SAFE_INTEGER, limit: 1000 });
        assert.deepEqual(backwards.toReversed(), found);
        const middle = seqs[Math.floor(seqs.length / 2)] ?? 0;
        const later = await index.find(account, parts, { after: middle, limit: 2 });
        assert.deepEqual(later, found.filter((seq) => seq > middle).slice(0, 2));
      };
      for (const each of steps) {
        const device = 'at' in each ? devices[each.at % Math.max(1, devices.length)] : undefined;
        if (each.do === 'add')
          await db.write(async (tx) => {
            const added = await insertDevice(tx, account, { DeviceName: each.name, DeviceGroup: 'g' }, 1);
            devices.push({ seq: added.seq, id: added.id, name: each.name });
          });
        else if (!device) continue;
        else if (each.do === 'rename') {
          await db.write((tx) => updateDevice(tx, device.seq, { DeviceName: each.name }));
          device.name = each.name;
        } else if (each.do === 'delete') {
          await db.write((tx) => tx.run('DELETE FROM devices WHERE seq = ?', device.seq));
          devices.splice(devices.indexOf(device), 1);
        } else {
          const part = device.name.slice(each.from, each.from + each.length);
          if (part !== '') await expect(part, 'name');
          await expect(device.id.slice(each.from, each.from + each.length), 'id');
          // Two names are never taken for one.
          const next = devices[devices.indexOf(device) + 1];
          if (next) await expect(`${device.name.slice(-1)}${next.name.slice(0, 2)}` || 'x', 'name');
        }
      }
    }),
  ));
