// The service's bulk work as a dialog follows it: begun once, every result once, cancelled, and left to itself.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { BulkItem } from '#/contract/bulk.ts';
import { bulkReports, live } from '#/api/live.ts';
import { beginInService } from './watch-bulk.ts';

const original = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = original;
});

type Outcome = BulkItem['Outcome'];

/** A service whose bulk work has these outcomes, one list for each time that somebody looks; the last one is its end. */
function service(looks: Outcome[][], { lostBegins = 0, lostLooks = 0 } = {}) {
  const sent: string[] = [];
  const keys = new Set<string | null>();
  let cancelled = false;
  let [begins, losses, looked] = [lostBegins, lostLooks, 0];
  globalThis.fetch = (input, init) => {
    const { pathname, searchParams } = new URL(input instanceof Request ? input.url : input, 'http://here');
    const method = init?.method ?? 'GET';
    sent.push(`${method} ${pathname}`);
    if (pathname === '/v1/bulk' && method === 'POST') {
      keys.add(new Headers(init?.headers).get('idempotency-key'));
      return begins-- > 0 ? Promise.reject(new TypeError('lost')) : Promise.resolve(Response.json({ BulkId: 'b' }));
    }
    if (pathname.endsWith('/cancel')) {
      cancelled = true;
      return Promise.resolve(new Response(null));
    }
    if (pathname === '/v1/bulk') return Promise.resolve(Response.json([]));
    if (losses-- > 0) return Promise.reject(new TypeError('lost'));
    const now = looks[Math.min(looked++, looks.length - 1)] ?? [];
    const State = cancelled ? 'Cancelled' : looked >= looks.length ? 'Done' : 'Running';
    const from = Number(searchParams.get('before'));
    const Items = now.map((each, index) => ({ Id: `d${index}`, Name: '', Outcome: each, Because: '' })).slice(from);
    const Counts = { Done: 0, Failed: 0, Skipped: 0, Left: 0 };
    const rest = { Action: 'tag', Of: 'Devices', Values: {}, CreatedTime: '', EndTime: '', Counts };
    return Promise.resolve(Response.json({ BulkId: 'b', State, ...rest, Items, Next: '' }));
  };
  return { sent, keys };
}

const draft = (count: number) => ({
  Action: 'delete' as const,
  Devices: Array.from({ length: count }, (_, index) => `d${index}`),
});

function watching() {
  const cancel = new AbortController();
  const close = new AbortController();
  const results: string[] = [];
  return {
    cancel,
    close,
    results,
    options: {
      signal: cancel.signal,
      closed: close.signal,
      onResult: (id: string, { outcome }: { outcome: string }) => void results.push(`${id} ${outcome}`),
    },
  };
}

test('each result arrives once, also when a look is lost', async () => {
  const { sent } = service(
    [
      ['Done', 'Left', 'Left'],
      ['Done', 'Failed', 'Left'],
      ['Done', 'Failed', 'Skipped'],
    ],
    { lostLooks: 1 },
  );
  const { results, options } = watching();
  await (
    await beginInService(draft(3))
  )(options);
  assert.deepEqual(results, ['d0 done', 'd1 failed', 'd2 skipped']);
  assert.equal(sent.filter((each) => each === 'POST /v1/bulk').length, 1);
});

test('a lost answer to the request is asked for with the same key', async () => {
  const { sent, keys } = service([['Done']], { lostBegins: 1 });
  const { results, options } = watching();
  await (
    await beginInService(draft(1))
  )(options);
  assert.deepEqual(results, ['d0 done']);
  assert.equal(sent.filter((each) => each === 'POST /v1/bulk').length, 2);
  assert.equal(keys.size, 1);
});

test('a cancel is sent once, and what is left is reported as not sent', async () => {
  const { sent } = service([['Done', 'Left'], ['Done', 'Left'], ['Done']]);
  const { results, options, cancel } = watching();
  cancel.abort();
  await (
    await beginInService(draft(2))
  )(options);
  assert.deepEqual(results, ['d0 done', 'd1 stopped']);
  assert.equal(sent.filter((each) => each.endsWith('/cancel')).length, 1);
});

test('a closed dialog asks for nothing more, and cancels nothing', async () => {
  const { sent } = service([['Left'], ['Done']]);
  const { results, options, cancel, close } = watching();
  const wait = await beginInService(draft(1));
  close.abort();
  cancel.abort();
  await wait(options);
  assert.deepEqual(results, []);
  assert.ok(!sent.some((each) => each.includes('/v1/bulk/')));
});

test('while the service reports changes, it is asked for more only after a report', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  live.set('live');
  const going: Outcome[][] = Array.from({ length: 5 }, () => ['Left']);
  const { sent } = service([...going, ['Done']]);
  const looks = () => sent.filter((each) => each === 'GET /v1/bulk/b').length;
  const settle = () => new Promise(setImmediate);
  const { results, options } = watching();
  const done = (await beginInService(draft(1)))(options);
  for (let second = 0; second < 10; second++) {
    t.mock.timers.tick(1_000);
    await settle();
  }
  assert.equal(looks(), 4);
  for (let report = 0; report < 2; report++) {
    bulkReports.notify();
    await settle();
    await settle();
  }
  await done;
  assert.equal(looks(), 6);
  assert.deepEqual(results, ['d0 done']);
  live.set('off');
});

test('more than the service takes at once become several requests, all sent before the first result', async () => {
  const { sent } = service([['Done']]);
  await beginInService(draft(120_000));
  assert.equal(sent.filter((each) => each === 'POST /v1/bulk').length, 3);
});
