import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { runArchive, type ArchiveResult } from './run-archive.ts';

const original = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = original;
});

/** Deletes jobs without a copy, in front of a service that answers so. */
async function deleted(ids: string[], answer: (method: string, id: string) => Response) {
  const sent: string[] = [];
  globalThis.fetch = (input, init) => {
    const id =
      String(input instanceof Request ? input.url : input)
        .split('/')
        .at(-1) ?? '';
    sent.push(`${init?.method} ${id}`);
    return Promise.resolve(answer(init?.method ?? '', id));
  };
  const results = new Map<string, ArchiveResult>();
  const run = runArchive(
    { ids, browser: false, zip: false, remove: true },
    {
      account: 'a',
      signal: new AbortController().signal,
      onResult: (id, result) => results.set(id, result),
      onProgress: () => undefined,
    },
  );
  const error = await run.then(() => undefined, String);
  return { sent, error, states: ids.map((id) => results.get(id)?.state) };
}

const job = (JobId: string, Status: string) =>
  Response.json({ JobId, DeviceId: 'd', Status, EndTime: Status === 'Running' ? '' : '2026-01-01T00:00:00Z' });
const status = (code: number) => new Response(null, { status: code });

test('what ended is deleted, what runs is left, what is missing is gone', async () => {
  const { states, sent } = await deleted(['ended', 'runs', 'missing'], (method, id) =>
    method === 'DELETE'
      ? status(204)
      : id === 'missing'
        ? status(404)
        : job(id, id === 'runs' ? 'Running' : 'Succeeded'),
  );
  assert.deepEqual(states, ['deleted', 'left', 'gone']);
  assert.deepEqual(
    sent.filter((each) => each.startsWith('DELETE')),
    ['DELETE ended'],
  );
});

test('a delete that the service failed at is sent once, and reading shows whether it was done', async () => {
  const gone = new Set<string>();
  const { states, sent } = await deleted(['done', 'not'], (method, id) => {
    if (method !== 'DELETE') return gone.has(id) ? status(404) : job(id, 'Succeeded');
    if (id === 'done') gone.add(id);
    return status(500);
  });
  assert.deepEqual(states, ['deleted', 'failed']);
  assert.equal(sent.filter((each) => each.startsWith('DELETE')).length, 2);
});

test('the end of the session ends the run and is raised', async () => {
  const { states, error } = await deleted(['a', 'b', 'c', 'd'], () => status(401));
  assert.match(error ?? '', /no longer signed in/);
  assert.deepEqual(states.slice(2), [undefined, undefined]);
});
