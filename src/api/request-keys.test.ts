import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '#/api/api-error.ts';
import { RequestKeys } from '#/api/request-keys.ts';

const lost = new ApiError('network', 'The service cannot be reached');
const busy = new ApiError('refused', 'The service is busy (503)', { status: 503 });
const refused = new ApiError('refused', 'Not allowed (403)', { status: 403 });

test('a retry after a lost answer keeps its key; another request, or one after an answer, gets a new key', async () => {
  const keys = new RequestKeys();
  const used: string[] = [];
  const send = (order: unknown, failure?: Error) =>
    keys
      .send(order, ({ 'idempotency-key': key }) => {
        used.push(key);
        return failure ? Promise.reject(failure) : Promise.resolve();
      })
      .catch(() => undefined);
  await send({ Name: 'a' }, lost);
  await send({ Name: 'a' }, busy);
  await send({ Name: 'a' });
  await send({ Name: 'a' }, refused);
  await send({ Name: 'a' }, lost);
  await send({ Name: 'b' }, lost);
  const [first, second, third, ...others] = used;
  assert.deepEqual([second, third], [first, first]);
  assert.equal(new Set([first, ...others]).size, 4);
});
