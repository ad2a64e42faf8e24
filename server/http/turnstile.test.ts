// Requests to a real server, which this test answers one by one.
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../scripts/test-process.ts';
import { openTurnstile } from './turnstile.ts';
import type { Turnstile } from './turnstile.ts';

let turnstile: Turnstile;
/** The requests that were let through, by their names, in this order. */
let inside: { name: string; outgoing: ServerResponse }[] = [];
const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) =>
  turnstile.pass(incoming, outgoing, () => inside.push({ name: incoming.url?.slice(1) ?? '', outgoing })),
);
before(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
after(() => server.close());
beforeEach(() => {
  turnstile = openTurnstile(2);
  inside = [];
});

const names = () => inside.map(({ name }) => name);
const isInside = (name: string) => until(`${name} to be inside`, () => names().includes(name));
/** Sends a request on a connection of its own, and waits until the service has it. */
async function ask(name: string, isComplete = true): Promise<ClientRequest> {
  const arrived = new Promise((done) => server.once('request', done));
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, path: `/${name}`, method: 'POST', agent: false, headers: { 'Content-Length': 4 } });
  sent.on('error', () => {});
  sent.write('1');
  if (isComplete) sent.end('234');
  await arrived;
  return sent;
}
const answer = (name: string) => inside.find((each) => each.name === name)?.outgoing.end();

test('so many are inside, and the others follow in their order', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) await ask(name);
  assert.deepEqual(names(), ['a', 'b']);
  answer('b');
  await isInside('c');
  answer('a');
  await isInside('d');
  assert.deepEqual(names(), ['a', 'b', 'c', 'd']);
  for (const name of ['c', 'd']) answer(name);
  await isInside('e');
  answer('e');
});

test('who leaves while waiting loses the place, and who leaves inside gives it up', async () => {
  const [first] = [await ask('a'), await ask('b')];
  const leaving = await ask('c');
  await ask('d');
  const gone = new Promise((done) => leaving.once('close', done));
  leaving.destroy();
  await gone;
  first.destroy();
  await isInside('d');
  assert.deepEqual(names(), ['a', 'b', 'd']);
  for (const name of ['b', 'd']) answer(name);
});

test('a body that does not arrive takes no place for long', async () => {
  const slow = [await ask('a', false), await ask('b', false)];
  await ask('c');
  await isInside('c');
  await ask('d');
  await isInside('d');
  await ask('e');
  await sleep(0);
  assert.ok(!names().includes('e'));
  for (const each of slow) each.destroy();
  // What gave up its place does not free another one.
  await sleep(0);
  assert.ok(!names().includes('e'));
  answer('c');
  await isInside('e');
  for (const name of ['d', 'e']) answer(name);
});
