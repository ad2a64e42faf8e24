import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakePort } from './fake-port.ts';
import { WorkerClient, WorkerError } from './worker-client.ts';

function opened(limit?: number) {
  const ports: FakePort<string>[] = [];
  const client = new WorkerClient<string, number, string>(() => {
    const port = new FakePort<string>();
    ports.push(port);
    return port;
  }, limit);
  return { ports, client };
}
const is = (kind: WorkerError['kind']) => (error: unknown) => error instanceof WorkerError && error.kind === kind;

test('the worker starts with the first request, and each answer reaches its caller', async () => {
  const { ports, client } = opened();
  assert.equal(ports.length, 0);
  const [one, two] = [client.ask('one'), client.ask('two')];
  ports[0]?.say({ id: 2, answer: 22 });
  ports[0]?.say({ id: 1, answer: 11 });
  ports[0]?.say({ id: 1, answer: 12 });
  assert.deepEqual([await one, await two, ports.length], [11, 22, 1]);
});

test("an error of the worker has the worker's message", async () => {
  const { ports, client } = opened();
  const asked = client.ask('one');
  ports[0]?.say({ id: 1, fault: 'The archive is damaged' });
  await assert.rejects(asked, { message: 'The archive is damaged' });
});

test('a worker that does not load rejects its requests, and the next request starts another', async () => {
  const { ports, client } = opened();
  const asked = [client.ask('one'), client.ask('two')];
  ports[0]?.fail();
  for (const each of asked) await assert.rejects(each, is('unavailable'));
  assert.ok(ports[0]?.isEnded);
  const again = client.ask('three');
  ports[1]?.say({ id: 3, answer: 3 });
  assert.equal(await again, 3);
});

test('the state of a crashed worker is lost, and the next request fails once to say so', async () => {
  const { ports, client } = opened();
  client.post('a fact');
  ports[0]?.fail();
  await assert.rejects(client.ask('one'), is('unavailable'));
  void client.ask('two');
  assert.deepEqual(ports[1]?.sent, [{ id: 1, request: 'two' }]);
});

test('an aborted request is rejected, and the worker continues', async () => {
  const { ports, client } = opened();
  const leaving = new AbortController();
  const asked = client.ask('one', { signal: leaving.signal });
  leaving.abort(new Error('left'));
  await assert.rejects(asked, { message: 'left' });
  ports[0]?.say({ id: 1, answer: 1 });
  assert.equal(ports[0]?.isEnded, false);
  await assert.rejects(client.ask('two', { signal: leaving.signal }), { message: 'left' });
  assert.equal(ports[0]?.sent.length, 1);
});

test('a worker that is silent after progress is terminated', async () => {
  const { ports, client } = opened(10);
  const progress: string[] = [];
  const asked = client.ask('one', { onProgress: (each) => progress.push(each) });
  ports[0]?.say({ id: 1, progress: 'at work' });
  await assert.rejects(asked, is('slow'));
  assert.deepEqual([progress, ports[0]?.isEnded], [['at work'], true]);
});

test('an answer counts even if a busy page receives it after the limit', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const { ports, client } = opened(10);
  const asked = client.ask('one');
  ports[0]?.say({ id: 1, progress: 'at work' });
  mock.timers.tick(10);
  ports[0]?.say({ id: 1, answer: 1 });
  mock.timers.tick(1000);
  assert.deepEqual([await asked, ports[0]?.isEnded], [1, false]);
});

test('closing terminates the worker and rejects its requests', async () => {
  const { ports, client } = opened();
  const asked = client.ask('one');
  client.close();
  await assert.rejects(asked, is('ended'));
  assert.ok(ports[0]?.isEnded);
});
