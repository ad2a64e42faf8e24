// Streams of events that end without a word: a service that is killed, and a client that stops reading.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { after, test } from 'node:test';
import type { Caller } from '../store/caller.ts';
import { endProcesses, until } from '../../scripts/test-process.ts';
import { scratch } from '../test-agents.ts';
import { TestStream } from '../test-events.ts';
import { testFleet } from '../test-fleet.ts';
import { killableService } from '../test-killable.ts';
import { currentPosition, printPosition } from '../store/changes.ts';
import { ownerOf } from '../store/people.ts';
import { insertSession, recordSessionUse } from '../store/sessions.ts';
import { createToken } from '../store/tokens.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { openEventFeed } from './event-feed.ts';

const at = scratch();
after(async () => {
  await endProcesses();
  at.remove();
});

test('a service is killed under an open stream: it ends, and the next one has everything read again', async () => {
  const service = await killableService(at.folder);
  const { fleet } = service;
  const stream = await TestStream.open(service);
  const created = [await fleet.device()];
  const seen = (await stream.naming(created[0]?.id ?? '')).at(-1)?.id ?? '';
  const creating = Promise.allSettled(Array.from({ length: 20 }, async () => created.push(await fleet.device())));
  await until('further devices', () => created.length > 5);
  await service.kill();
  await stream.over();
  await creating;

  await service.start();
  const resumed = await TestStream.open(service, { 'Last-Event-ID': seen });
  const { id: version } = await resumed.next('reset');
  const page = (await (await service.call('GET', '/v1/devices/1/500')).json()) as { Devices: { DeviceId: string }[] };
  const stored = new Set(page.Devices.map(({ DeviceId }) => DeviceId));
  assert.deepEqual(
    created.filter(({ id }) => !stored.has(id)),
    [],
    'what was acknowledged is there',
  );
  const { id: later } = await fleet.device();
  await resumed.naming(later);
  const changes = (await (await service.call('GET', `/v1/changes?since=${version}`)).json()) as {
    Devices: { DeviceId: string }[];
  };
  assert.deepEqual(
    changes.Devices.map(({ DeviceId }) => DeviceId),
    [later],
  );
  resumed.close();
});

/** A response to a client that reads what it gets, or nothing at all. */
function response(isRead: boolean) {
  const received: string[] = [];
  const outgoing = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      received.push(chunk.toString());
      if (isRead) done();
    },
  });
  Object.assign(outgoing, { writeHead: () => outgoing });
  return { received, outgoing: outgoing as unknown as ServerResponse };
}

/** An API client of the account. */
async function callerOf({ context: { db } }: TestService): Promise<Caller> {
  const { id } = await db.write((tx) => createToken(tx, 1, 'of a test', Date.now()));
  return { account: { id: 1 }, credential: `token:${id}`, role: 'Admin' } as unknown as Caller;
}

test('a client that stops reading is cut off, and the others get every event', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const { db } = service.context;
  const fleet = testFleet((...request) => service.call(...request));
  const devices = await Promise.all(Array.from({ length: 300 }, () => fleet.device()));
  const feed = openEventFeed({ db, now: Date.now, mostUnread: 10_000 });
  t.after(() => feed.close());
  const caller = await callerOf(service);
  const [reading, stuck] = [response(true), response(false)];
  for (const { outgoing } of [stuck, reading]) await feed.open(caller, outgoing, undefined);
  const eventsOf = ({ received }: typeof reading) => received.filter((text) => text.startsWith('event: change'));
  for (let round = 1; round <= 3; round++) {
    await db.write((tx) => tx.run('UPDATE devices SET name = ?', `round ${round}`));
    await until('an event', () => eventsOf(reading).length === round);
    assert.ok(devices.every(({ id }) => eventsOf(reading)[round - 1]?.includes(id)));
  }
  assert.deepEqual([stuck.outgoing.destroyed, reading.outgoing.destroyed], [true, false]);
  assert.equal(feed.count(), 1);
});

test('the stream of a session ends with it, though the clock was set back meanwhile', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const { db } = service.context;
  const hour = 3_600_000;
  let [elapsed, set] = [0, 0];
  const began = Date.now();
  const now = () => began + elapsed + set;
  const feed = openEventFeed({ db, now, steady: () => elapsed, commentEveryMs: 10 });
  t.after(() => feed.close());
  const owner = await ownerOf(db, 1);
  const open = async () => {
    const { id } = await db.write((tx) =>
      insertSession(tx, 1, { how: 'link', personId: owner?.id, address: '' }, now()),
    );
    const { received, outgoing } = response(true);
    const caller = { account: { id: 1 }, role: 'Admin', credential: `session:${id}` } as unknown as Caller;
    await feed.open(caller, outgoing, undefined);
    const comments = () => received.filter((text) => text.startsWith(':')).length;
    const checked = async () => {
      const before = comments();
      await until('two more checks', () => outgoing.writableEnded || comments() > before + 1);
    };
    return { id, outgoing, checked };
  };
  const idle = await open();
  await idle.checked();
  [elapsed, set] = [6 * hour, -5 * hour];
  await idle.checked();
  assert.equal(idle.outgoing.writableEnded, false, 'it has six hours left');
  // By the clock that was set back it would have been used seven hours ago.
  elapsed = 12 * hour;
  await until('the end of the stream', () => idle.outgoing.writableEnded);

  set = 0;
  const used = await open();
  await used.checked();
  elapsed += 11 * hour;
  await db.write((tx) => recordSessionUse(tx, { id: used.id, person_id: null }, '', now()));
  await used.checked();
  elapsed += 11 * hour;
  await used.checked();
  assert.equal(used.outgoing.writableEnded, false, 'it was used');
  // The clock was wrong by a day when it was last used: the cookie does not open it either.
  set = -24 * hour;
  await until('the end of the other stream', () => used.outgoing.writableEnded);
});

test('the stream of a token, or of a session, ends when it expires, not when all are looked at again', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const { db } = service.context;
  // Nothing but its own end makes a stream end here.
  const feed = openEventFeed({ db, now: Date.now, commentEveryMs: 600_000 });
  t.after(() => feed.close());
  const owner = await ownerOf(db, 1);
  const soon = Date.now() + 1_500;
  const token = await db.write((tx) => createToken(tx, 1, 'short', Date.now(), { expires: soon }));
  const ofProvider = { how: 'oidc', personId: owner?.id, ends: soon, address: '' } as const;
  const byToken = { how: 'token', tokenId: token.id, address: '' } as const;
  const sessions = await db.write(async (tx) => [
    await insertSession(tx, 1, ofProvider, Date.now()),
    await insertSession(tx, 1, byToken, Date.now()),
  ]);
  const credentials = [`token:${token.id}`, ...sessions.map(({ id }) => `session:${id}`)];
  const opened = credentials.map((credential) => ({ credential, ...response(true) }));
  for (const { credential, outgoing } of opened)
    await feed.open({ account: { id: 1 }, role: 'Admin', credential } as unknown as Caller, outgoing, undefined);
  const lasting = response(true);
  await feed.open(await callerOf(service), lasting.outgoing, undefined);
  await until('the ends of the streams', () => opened.every(({ outgoing }) => outgoing.writableEnded));
  assert.equal(lasting.outgoing.writableEnded, false);
  assert.equal(feed.count(), 1);
});

test('a client that is gone before its stream begins leaves none behind', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const feed = openEventFeed({ db: service.context.db, now: Date.now });
  t.after(() => feed.close());
  const { outgoing } = response(true);
  const opening = feed.open({ account: { id: 1 }, credential: 'token:1' } as unknown as Caller, outgoing, undefined);
  outgoing.destroy();
  await opening;
  assert.equal(feed.count(), 0);
});

test('a stream ends whose missed changes cannot be read, so that its client asks again', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const { db } = service.context;
  await testFleet((...request) => service.call(...request)).device();
  const { opening, seq } = await currentPosition(db);
  const { mark = 0 } = (await db.get<{ mark: number }>('SELECT mark FROM changes WHERE seq = ?', seq - 1)) ?? {};
  const failing = Object.assign(Object.create(db) as typeof db, {
    all: () => Promise.reject(new Error('the disk cannot be read')),
  });
  const feed = openEventFeed({ db: failing, now: Date.now });
  t.after(() => feed.close());
  const { received, outgoing } = response(true);
  await feed.open(await callerOf(service), outgoing, printPosition({ opening, seq: seq - 1, mark }));
  assert.ok(outgoing.writableEnded);
  assert.equal(feed.count(), 0);
  assert.equal(received.length, 1, 'nothing but that the stream began');
});
