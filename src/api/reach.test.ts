import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test, type TestContext } from 'node:test';
import { send } from './call.ts';
import { probeNow, reachNow, reportAnswer, reportSilence, watchReach, whenReachable } from './reach.ts';

const settle = async () => {
  for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => setImmediate(resolve));
};
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    mock.timers.tick(1_000);
    await settle();
  }
}

let page: EventTarget;
let stop = () => {};
beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  page = new EventTarget();
  Object.assign(globalThis, { addEventListener: page.addEventListener.bind(page) });
});
afterEach(() => {
  reportAnswer();
  stop();
  mock.timers.reset();
  Reflect.deleteProperty(globalThis, 'addEventListener');
});

/** A service that can be down, a page that probes it, and the paths of the requests that were sent. */
function watched(t: TestContext) {
  const service = { isDown: false, sent: [] as string[], answer: () => new Response('[]') };
  t.mock.method(globalThis, 'fetch', (path: string) => {
    service.sent.push(path);
    return service.isDown ? Promise.reject(new TypeError('fetch failed')) : Promise.resolve(service.answer());
  });
  stop = watchReach(() => send('GET', '/probe', undefined, { isProbe: true }));
  return service;
}

const read = () =>
  send('GET', '/v1/jobs').then(
    ({ text }) => text,
    ({ message }: Error) => message,
  );

test('in an outage only the probe is sent, after 1, 2, 4 … 30 s, and reads fail without a request', async (t) => {
  t.mock.method(Math, 'random', () => 0.5);
  const service = watched(t);
  service.isDown = true;
  const reads = Array.from({ length: 5 }, read);
  await settle();
  await pass(1);
  assert.deepEqual(new Set(await Promise.all(reads)), new Set(['The service cannot be reached']));
  assert.equal(reachNow(), 'away');
  const sentAt: number[] = [];
  service.sent = [];
  for (let second = 2; second <= 122; second++) {
    const before = service.sent.length;
    void read();
    await pass(1);
    if (service.sent.length > before) sentAt.push(second);
  }
  assert.deepEqual(new Set(service.sent), new Set(['/probe']));
  assert.deepEqual(sentAt, [3, 7, 15, 31, 61, 91, 121]);
});

test('a single lost answer: reads wait for the probe, and are then sent', async (t) => {
  const service = watched(t);
  service.isDown = true;
  const lost = read();
  await settle();
  assert.equal(await lost, 'The service cannot be reached');
  assert.equal(reachNow(), 'in doubt');
  const waiting = read();
  service.isDown = false;
  service.sent = [];
  await pass(2);
  assert.equal(await waiting, '[]');
  assert.deepEqual(service.sent, ['/probe', '/v1/jobs']);
  assert.equal(reachNow(), 'reachable');
});

test('a read that is aborted while it waits stays aborted', async (t) => {
  watched(t).isDown = true;
  reportSilence();
  const controller = new AbortController();
  const waiting = send('GET', '/v1/jobs', undefined, { signal: controller.signal });
  controller.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
});

for (const [name, act] of [
  ['somebody asks for it', () => void probeNow()],
  ['the network is back', () => page.dispatchEvent(new Event('online'))],
  ['the page is shown', () => page.dispatchEvent(new Event('visibilitychange'))],
] as const)
  test(`the next probe does not wait when ${name}, and what waited goes on`, async (t) => {
    const service = watched(t);
    service.isDown = true;
    reportSilence();
    await pass(40);
    assert.equal(reachNow(), 'away');
    let isBack = false;
    void whenReachable(new AbortController().signal).then(() => (isBack = true));
    service.isDown = false;
    service.sent = [];
    act();
    await settle();
    assert.deepEqual(service.sent, ['/probe']);
    assert.deepEqual([reachNow(), isBack], ['reachable', true]);
    await pass(60);
    assert.equal(service.sent.length, 1);
  });

test('a page is told at once that its computer went offline, although it reads nothing', async (t) => {
  const service = watched(t);
  service.isDown = true;
  page.dispatchEvent(new Event('offline'));
  await pass(3);
  assert.equal(reachNow(), 'away');
});

test('a write is sent in any case, and its answer ends the outage', async (t) => {
  const service = watched(t);
  service.isDown = true;
  reportSilence();
  await pass(40);
  service.isDown = false;
  await send('POST', '/v1/anything', {});
  assert.equal(reachNow(), 'reachable');
});

test("a proxy's page about a service that it cannot reach is a silence, the service's own 503 is an answer", async (t) => {
  const service = watched(t);
  const page503 = () => new Response('<h1>503</h1>', { status: 503, headers: { 'content-type': 'text/html' } });
  service.answer = page503;
  await assert.rejects(send('GET', '/v1/account'));
  await pass(3);
  assert.equal(reachNow(), 'away');
  service.answer = () => Response.json({ title: 'Not available at the moment' }, { status: 503 });
  await probeNow();
  assert.equal(reachNow(), 'reachable');
});
