// Saved views: who sees which, and who wins a race.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { MOST_VIEWS, type SavedView } from '#/contract/views.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
/** The headers of another person. */
let bob: Record<string, string>;
beforeEach(async () => {
  service = await startTestService();
  const made = await service.call('POST', '/v1/account/tokens', { Name: 'Bob' });
  bob = { Authorization: `Bearer ${((await made.json()) as { Token: string }).Token}` };
});
afterEach(() => service.end());

const save = (name: string, body: object, headers?: Record<string, string>) =>
  service.call('PUT', `/v1/views/${encodeURIComponent(name)}`, body, headers);
const listed = (headers?: Record<string, string>) => service.call('GET', '/v1/views', undefined, headers);
const views = async (headers?: Record<string, string>) => (await (await listed(headers)).json()) as SavedView[];
const names = async (headers?: Record<string, string>) =>
  (await views(headers)).map(({ Name, Query }) => [Name, Query]);

test('a shared view is seen and changed by everybody, with who changed it', async () => {
  assert.equal((await save('North', { Query: 'group=north' })).status, 200);
  assert.deepEqual(await names(bob), [['North', 'group=north']]);
  assert.equal((await save('NORTH', { Query: 'group=n' }, bob)).status, 200);
  const [view] = await views();
  assert.deepEqual([view?.Name, view?.Query, view?.Private, view?.ChangedByName], ['NORTH', 'group=n', false, 'Bob']);
  assert.equal((await service.call('DELETE', '/v1/views/north')).status, 200);
  assert.equal((await service.call('DELETE', '/v1/views/north')).status, 404);
  assert.deepEqual(await names(bob), []);
});

test('a private view is seen by its maker only, also in a browser that signed in with the same token', async () => {
  await save('Mine', { Query: 'a', Private: true }, bob);
  assert.deepEqual(await names(), []);
  assert.equal((await service.call('DELETE', '/v1/views/Mine')).status, 404);
  const signedIn = await fetch(`${service.url}/auth/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ Token: bob['Authorization']?.slice(7) }),
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const seen = (await (await fetch(`${service.url}/v1/views`, { headers: { cookie } })).json()) as SavedView[];
  assert.deepEqual(
    seen.map(({ Name, Private }) => [Name, Private]),
    [['Mine', true]],
  );
  // A shared one of that name is another view.
  await save('mine', { Query: 'b' });
  assert.deepEqual(await names(bob), [['Mine', 'a']]);
  assert.deepEqual(await names(), [['mine', 'b']]);
});

test('a view becomes private and shared again, and is one view all the time', async () => {
  await save('North', { Query: 'a' });
  await save('North', { Query: 'a', Private: true }, bob);
  assert.deepEqual([await names(), await names(bob)], [[], [['North', 'a']]]);
  await save('North', { Query: 'b' }, bob);
  assert.deepEqual(await names(), [['North', 'b']]);
});

test('a write with the ETag of a list that has changed meanwhile is refused and changes nothing', async () => {
  await save('North', { Query: 'a' });
  const etag = (await listed()).headers.get('etag') ?? '';
  assert.equal((await save('North', { Query: 'b' }, { ...bob, 'If-Match': etag })).status, 200);
  assert.equal((await save('North', { Query: 'c' }, { 'If-Match': etag })).status, 412);
  assert.equal((await service.call('DELETE', '/v1/views/North', undefined, { 'If-Match': etag })).status, 412);
  assert.deepEqual(await names(), [['North', 'b']]);
});

test('bad views are refused: no name, too long, too many', async () => {
  assert.equal((await save(' ', { Query: '' })).status, 400);
  assert.equal((await save('x'.repeat(81), { Query: '' })).status, 400);
  assert.equal((await save('x', { Query: 'x'.repeat(4_001) })).status, 400);
  assert.equal((await save('x', {})).status, 400);
  for (let number = 0; number < MOST_VIEWS; number++) await save(`view ${number}`, { Query: '' });
  assert.equal((await save('one more', { Query: '' })).status, 409);
  assert.equal((await save('view 3', { Query: 'x' })).status, 200);
});
