import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { refusalError } from './api-error.ts';
import { readFailedAgain } from './read-again.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** How often a query that fails with this status is fetched within a minute. */
async function reads(status: number, failures: number): Promise<number> {
  mock.timers.enable({ apis: ['setTimeout'] });
  Object.assign(globalThis, { document: { hidden: false } });
  const client = new QueryClient();
  const stop = readFailedAgain(client);
  let count = 0;
  const queryFn = () =>
    ++count <= failures ? Promise.reject(refusalError(status, '', null)) : Promise.resolve('read');
  const leave = new QueryObserver(client, { queryKey: ['a'], queryFn, retry: false }).subscribe(() => {});
  for (let seconds = 0; seconds < 60; seconds++) {
    await settled();
    mock.timers.tick(1_000);
  }
  leave();
  stop();
  mock.timers.reset();
  return count;
}

test('a query that failed because of the service is refetched until it succeeds; a refused one is not', async () => {
  assert.equal(await reads(500, 2), 3);
  assert.equal(await reads(502, 1), 2);
  assert.equal(await reads(404, 9), 1);
});
