// Bulk work of the service: it is started once, each result is read once, and keys remain as long as the service has them.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { BulkItem } from '#/contract/bulk.ts';
import { accountQueries } from './account.ts';
import { startBulk, bulkQueries } from './bulk-work.ts';
import { queryClient } from './query-client.ts';

const original = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = original;
  queryClient.clear();
});

type Answer = (path: string, init: RequestInit) => Response | Error;
const answers = (answer: Answer) => {
  globalThis.fetch = async (input, init = {}) => {
    const made = answer(input instanceof Request ? input.url : String(input), init);
    if (made instanceof Error) throw made;
    return made;
  };
};

const account = (...Capabilities: string[]) =>
  Response.json({
    UserEmail: 'a@example',
    PlanMaxDeviceLimit: 9,
    NumDevicesAdded: 0,
    Capabilities,
    IdempotencyKeyHours: Capabilities.includes('idempotency') ? 24 : 0,
  });

test('a start whose answer was lost is retried with the same key, if the service knows keys', async () => {
  const keys: (string | null)[] = [];
  let offered = ['bulk', 'idempotency'];
  answers((path, { headers }) => {
    if (path.endsWith('/v1/account')) return account(...offered);
    keys.push(new Headers(headers).get('idempotency-key'));
    return keys.length % 2 === 1 ? new TypeError('lost') : Response.json({ BulkId: 'b' });
  });
  await queryClient.query(accountQueries.get());
  assert.equal(await startBulk({ Action: 'delete', Devices: ['d'] }), 'b');
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
  assert.ok(keys[0]);

  queryClient.clear();
  offered = ['bulk'];
  await queryClient.query(accountQueries.get());
  await assert.rejects(startBulk({ Action: 'delete', Devices: ['d'] }), { kind: 'network' });
  assert.equal(keys.length, 3);
});

const asked = { DeviceName: 'x', DeviceGroup: '' };
const item = (Id: string, Outcome: BulkItem['Outcome']): BulkItem => ({
  Id,
  Name: 'x',
  Outcome,
  Because: '',
  Device: asked,
});

test('each read adds new items; keys of earlier reads remain until the service returns none', async () => {
  const state = { State: 'Running', items: [item('d0', 'Done'), item('', 'Left'), item('', 'Left')], hasKeys: true };
  const froms: string[] = [];
  answers((path) => {
    const from = new URL(path, 'http://here').searchParams.get('before') ?? '';
    froms.push(from);
    const Items = state.items.slice(Number(from));
    return Response.json({
      BulkId: 'b',
      Action: 'create',
      Of: 'Devices',
      Values: {},
      State: state.State,
      Counts: { Done: 0, Failed: 0, Skipped: 0, Left: 0 },
      CreatedTime: '',
      EndTime: '',
      Items,
      Next: '',
      ...(state.hasKeys && { Keys: Object.fromEntries(Items.flatMap(({ Id }) => (Id ? [[Id, `key of ${Id}`]] : []))) }),
    });
  });
  const look = async () => {
    const { items, keys } = await queryClient.query({ ...bulkQueries.one('b'), staleTime: 0 });
    return [items.map(({ Id, Outcome }) => `${Id} ${Outcome}`).join(', '), Object.keys(keys ?? { none: '' }).join()];
  };
  assert.deepEqual(await look(), ['d0 Done', 'd0']);
  state.items = [item('d0', 'Done'), item('d1', 'Done'), item('', 'Left')];
  assert.deepEqual(await look(), ['d0 Done, d1 Done', 'd0,d1']);
  state.State = 'Cancelled';
  assert.deepEqual(await look(), ['d0 Done, d1 Done,  Left', 'd0,d1']);
  state.hasKeys = false;
  assert.deepEqual(await look(), ['d0 Done, d1 Done,  Left', 'none']);
  assert.deepEqual(await look(), ['d0 Done, d1 Done,  Left', 'none']);
  // Ended work without keys no longer changes.
  assert.deepEqual(froms, ['0', '1', '2', '3']);
});
