// The queue of uploads: a few at a time, each with an end of its own, nothing sent twice.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { artifact, type Artifact } from '#/contract/artifacts.ts';
import { ApiError } from '#/api/api-error.ts';
import type { ArtifactUpload } from '#/api/artifacts.ts';
import { UnconfirmedWrite } from '#/lib/unconfirmed-write.ts';
import { fieldsFor, mergedFields } from './upload-fields.ts';
import { UploadQueue } from './upload-queue.ts';

interface Attempt {
  planned: ArtifactUpload;
  store: () => void;
  fail: (error: Error) => void;
}

const chosen = (name: string) => ({ name, size: 3, content: new Blob([new Uint8Array(3)]), type: 'tar.gz' as const });
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function fresh() {
  const attempts: Attempt[] = [];
  const discarded: string[] = [];
  const send = (planned: ArtifactUpload) => {
    const { promise, resolve, reject } = Promise.withResolvers<Artifact>();
    planned.signal.addEventListener('abort', () => reject(new DOMException('gone', 'AbortError')));
    const store = () => resolve(artifact.parse({ ArtifactId: `of ${planned.file.name}` }));
    attempts.push({ planned, store, fail: reject });
    return promise;
  };
  const queue = new UploadQueue(send, { now: () => 0, discard: (upload) => void discarded.push(upload) });
  const add = (name: string) => queue.add(chosen(name), fieldsFor(chosen(name), []));
  const stages = () => queue.snapshot().map(({ stage }) => stage.name);
  return { queue, attempts, discarded, add, stages };
}

test('two at a time, and one that fails does not hold up the rest', async () => {
  const { queue, attempts, add, stages } = fresh();
  const ids = ['a', 'b', 'c', 'd'].map(add);
  queue.start(...ids);
  queue.start(...ids);
  assert.deepEqual(stages(), ['sending', 'sending', 'waiting', 'waiting']);
  attempts[0]?.fail(new ApiError('refused', 'no', { status: 400 }));
  await settle();
  assert.deepEqual(stages(), ['failed', 'sending', 'sending', 'waiting']);
  attempts[1]?.store();
  attempts[2]?.store();
  await settle();
  attempts[3]?.store();
  await settle();
  assert.deepEqual(stages(), ['failed', 'stored', 'stored', 'stored']);
  assert.equal(attempts.length, 4);
});

test('what may have arrived is sent again under the same key, what was refused or changed under another', async () => {
  const { queue, attempts, add } = fresh();
  const id = add('a');
  const again = async (error: Error) => {
    attempts.at(-1)?.fail(error);
    await settle();
    queue.start(id);
    return attempts.at(-1)?.planned;
  };
  queue.start(id);
  const first = attempts[0]?.planned;
  const after = await again(new ApiError('refused', 'full', { status: 403 }));
  assert.notEqual(after?.key, first?.key);
  const lost = await again(new ApiError('network', 'gone'));
  assert.deepEqual([lost?.key, lost?.file], [after?.key, after?.file]);
  queue.cancel(id);
  await settle();
  queue.start(id);
  assert.equal(attempts.at(-1)?.planned.key, after?.key);
  queue.cancel(id);
  await settle();
  queue.fill(id, { version: '9' });
  queue.start(id);
  assert.notEqual(attempts.at(-1)?.planned.key, after?.key);
});

test('what may be stored without a key is not sent again, but another file in its place is', async () => {
  const { queue, attempts, add, stages } = fresh();
  const id = add('a');
  queue.start(id);
  attempts[0]?.fail(new UnconfirmedWrite('gone', 'It may have been accepted'));
  await settle();
  queue.start(id);
  assert.deepEqual([stages(), attempts.length], [['failed'], 1]);
  const other = chosen('b');
  queue.replace(id, other, fieldsFor(other, []), fieldsFor(other, []));
  queue.start(id);
  assert.equal(attempts.length, 2);
});

test('sent again at once after a failure, it can be cancelled like any other', async () => {
  const { queue, attempts, add, stages } = fresh();
  const id = add('a');
  const leave = queue.subscribe(() => {
    if (stages()[0] !== 'failed') return;
    leave();
    queue.start(id);
  });
  queue.start(id);
  attempts[0]?.fail(new ApiError('refused', 'no', { status: 400 }));
  await settle();
  assert.deepEqual([stages(), attempts.length], [['sending'], 2]);
  queue.cancel(id);
  await settle();
  assert.deepEqual(stages(), ['cancelled']);
});

test('cancelled while it waits, it is as it was; while it is sent, it can be sent again', async () => {
  const { queue, attempts, add, stages } = fresh();
  const ids = ['a', 'b', 'c'].map(add);
  queue.start(...ids);
  queue.cancel(ids[2] ?? '');
  queue.cancel(ids[0] ?? '');
  await settle();
  assert.deepEqual(stages(), ['cancelled', 'sending', 'idle']);
  assert.equal(attempts[0]?.planned.signal.aborted, true);
  queue.remove(ids[1] ?? '');
  await settle();
  assert.deepEqual(stages(), ['cancelled', 'idle']);
  assert.equal(attempts[1]?.planned.signal.aborted, true);
});

test('one that the service puts off goes up later; cancelled in that pause, it is not sent again', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { queue, attempts, add, stages } = fresh();
    const ids = ['a', 'b'].map(add);
    queue.start(...ids);
    const later = new ApiError('refused', 'busy', { status: 429, retryAfter: 30 });
    for (const attempt of attempts) attempt.fail(later);
    await settle();
    queue.cancel(ids[0] ?? '');
    await settle();
    assert.deepEqual(stages(), ['cancelled', 'sending']);
    mock.timers.tick(40_000);
    await settle();
    assert.deepEqual(attempts.length, 3);
    attempts[2]?.store();
    await settle();
    assert.deepEqual(stages(), ['cancelled', 'stored']);
  } finally {
    mock.timers.reset();
  }
});

test('signed out: what waits is not sent', async () => {
  const { queue, attempts, add, stages } = fresh();
  queue.start(...['a', 'b', 'c'].map(add));
  attempts[0]?.fail(new ApiError('refused', 'who?', { status: 401 }));
  await settle();
  assert.deepEqual(stages(), ['failed', 'sending', 'idle']);
  queue.start(...queue.snapshot().map(({ id }) => id));
  assert.ok(!stages().includes('idle'), 'after a new sign-in it is sent');
});

test('another file instead of it leaves what was typed, and only that', () => {
  const before = fieldsFor(chosen('app-1.0.tar.gz'), []);
  const next = fieldsFor(chosen('app-1.1.tar.gz'), []);
  assert.equal(mergedFields(before, before, next).version, '1.1');
  assert.equal(mergedFields({ ...before, version: '9' }, before, next).version, '9');
  assert.equal(mergedFields({ ...before, destination: '/opt' }, before, next).destination, '/opt');
  assert.equal(mergedFields({ ...before, type: 'script' }, before, next).type, 'script');
});

test('a paused upload goes on, a cancelled or removed one is given up, and a stored one is not', async () => {
  const { queue, attempts, discarded, add, stages } = fresh();
  const [first, second, third] = ['a', 'b', 'c'].map(add) as [string, string, string];
  const begin = async (id: string) => {
    queue.start(id);
    await settle();
    attempts.at(-1)?.planned.onBegun?.(`upload of ${id}`);
    attempts.at(-1)?.planned.onProgress({ sent: 1, total: 3 });
  };
  await begin(first);
  queue.pause(first);
  await settle();
  const [paused] = queue.snapshot();
  assert.deepEqual(paused?.stage.name === 'paused' && paused.stage.transfer.sent, 1);
  assert.deepEqual(discarded, []);
  await begin(first);
  attempts.at(-1)?.store();
  await settle();
  queue.remove(first);
  assert.deepEqual(discarded, []);
  await begin(second);
  queue.cancel(second);
  await settle();
  await begin(third);
  queue.pause(third);
  await settle();
  queue.cancel(third);
  assert.deepEqual(stages(), ['cancelled', 'cancelled']);
  assert.deepEqual(discarded, [`upload of ${second}`, `upload of ${third}`]);
});
