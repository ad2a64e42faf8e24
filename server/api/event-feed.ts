// Streams of events to dashboards: what changed, named by ids. The log of changes is looked at a few times a second while
// anybody listens, so that it does not matter which process wrote it; each account's event is made once for all of its
// streams.
import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { ChangeEvent } from '#/contract/changes.ts';
import type { Rights } from '#/contract/permissions.ts';
import { eventName } from '#/contract/resource.ts';
import { RESOURCES } from '../http/api-groups.ts';
import type { Caller } from '../store/caller.ts';
import { Problem } from '../http/problem.ts';
import { logFault } from '../store/system-fault.ts';
import {
  changesInScope,
  currentPosition,
  isSamePosition,
  jobIds,
  parsePosition,
  printPosition,
} from '../store/changes.ts';
import { ownJobs, ownParents, ownRollouts } from '../store/change-scope.ts';
import type { ChangeKind, Position, ScopedChange } from '../store/changes.ts';
import type { Database, Reader } from '../store/database.ts';
import { scopeKey, scopeOf } from '../store/scope.ts';
import type { Scope } from '../store/scope.ts';
import { IDLE_MS, LIFETIME_MS, liveSessions, type LiveSession } from '../store/sessions.ts';
import { liveTokens } from '../store/tokens.ts';

export interface EventFeed {
  /** Begins to send events to this caller. */
  open(caller: Caller, outgoing: ServerResponse, since: string | undefined): Promise<Response>;
  /** Open streams. */
  count(): number;
  /** Ends all streams; their dashboards open others. */
  endAll(): void;
  /** Ends all streams, and refuses new ones. */
  end(): void;
  close(): Promise<void>;
}

interface Stream {
  caller: Caller;
  outgoing: ServerResponse;
}

/** The streams of an account whose readers see the same groups. */
interface Audience {
  key: string;
  scope: Scope;
  streams: Set<Stream>;
  /** All of them have the changes up to here. */
  at: Position;
  /** When the last event was sent, by the monotonic clock. */
  sent: number;
  /** Of the sessions that listen. */
  ends: Map<string, SessionEnd>;
  /** The next look at who still listens, for the session or token that ends first before all are looked at again. */
  nextEnd?: { at: number; timer: NodeJS.Timeout } | undefined;
}

/**
 * When a session ends, by the monotonic clock: a computer's clock that is set back must not keep a stream open. Only a use
 * of the session moves its end.
 */
interface SessionEnd {
  lastUsed: number;
  idle: number;
  lifetime: number;
}

const LOOK_EVERY_MS = 250;
const EVENT_EVERY_MS = 1_000;
const COMMENT_EVERY_MS = 15_000;
/** Most streams of an account on this node. */
const MOST_STREAMS = 5_000;
/** A client that reads slowly is cut off beyond; more than one event has. */
const MOST_UNREAD = 256 * 1024;
/** Beyond, a list is read again in fewer bytes than its rows one by one. */
const MOST_IDS = 500;

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  // nginx collects answers otherwise.
  'X-Accel-Buffering': 'no',
};

interface EventFeedOptions {
  db: Database;
  now: () => number;
  /** The monotonic clock. */
  steady?: () => number;
  /** Most unsent bytes of a stream. */
  mostUnread?: number;
  commentEveryMs?: number;
}

export function openEventFeed({
  db,
  now,
  steady = () => performance.now(),
  mostUnread = MOST_UNREAD,
  commentEveryMs = COMMENT_EVERY_MS,
}: EventFeedOptions): EventFeed {
  const audiences = new Map<string, Audience>();
  let isClosed = false;
  let looking: Promise<void> | undefined;
  let timers: NodeJS.Timeout[] = [];

  const remove = (audience: Audience, stream: Stream) => {
    audience.streams.delete(stream);
    if (audience.streams.size === 0) {
      clearTimeout(audience.nextEnd?.timer);
      if (audiences.get(audience.key) === audience) audiences.delete(audience.key);
    }
    if (audiences.size > 0) return;
    for (const timer of timers) clearInterval(timer);
    timers = [];
  };
  const end = (audience: Audience, stream: Stream) => {
    remove(audience, stream);
    stream.outgoing.end();
  };
  const send = (audience: Audience, stream: Stream, text: string | Uint8Array) => {
    const { outgoing } = stream;
    outgoing.write(text);
    if (outgoing.writableLength <= mostUnread) return;
    remove(audience, stream);
    outgoing.destroy();
  };
  const sendAll = (audience: Audience, text: string) => {
    const bytes = Buffer.from(text);
    for (const stream of audience.streams) send(audience, stream, bytes);
  };

  /** When the session ends, by the monotonic clock. */
  const endOf = ({ ends }: Audience, { id, created, last_used: lastUsed }: LiveSession): number => {
    const known = ends.get(id);
    const at = steady();
    const due =
      known?.lastUsed === lastUsed
        ? known
        : {
            lastUsed,
            idle: at + Math.min(IDLE_MS, lastUsed + IDLE_MS - now()),
            lifetime: known?.lifetime ?? at + Math.min(LIFETIME_MS, created + LIFETIME_MS - now()),
          };
    ends.set(id, due);
    return Math.min(due.idle, due.lifetime);
  };

  /** Looks at who still listens when the next of them ends by itself, unless all are looked at sooner. */
  const lookAfter = (audience: Audience, ms: number) => {
    const at = performance.now() + ms;
    if (ms >= commentEveryMs || audience.streams.size === 0 || (audience.nextEnd && audience.nextEnd.at <= at)) return;
    clearTimeout(audience.nextEnd?.timer);
    const look = () => {
      audience.nextEnd = undefined;
      endInvalid(audience).catch(noteUnchecked);
    };
    // Not a moment too early: it would still be valid.
    audience.nextEnd = { at, timer: setTimeout(look, Math.ceil(ms) + 1).unref() };
  };

  /** Ends the streams of sessions and tokens that are not valid any more, or whose role has changed. */
  const endInvalid = async (audience: Audience, streams: ReadonlySet<Stream> = audience.streams) => {
    const credentials = new Set([...streams].map(({ caller }) => caller.credential));
    const idsOf = (prefix: string) =>
      [...credentials].filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length));
    const sessions = await liveSessions(db, idsOf('session:'), now());
    const tokens = await liveTokens(db, idsOf('token:'), now());
    const at = steady();
    const going = sessions.filter((session) => at < endOf(audience, session));
    if (streams === audience.streams)
      for (const id of audience.ends.keys()) if (!credentials.has(`session:${id}`)) audience.ends.delete(id);
    const rights = new Map<string, Rights | undefined>([
      ...going.map((each) => [`session:${each.id}`, each.rights] as const),
      ...tokens.map((each) => [`token:${each.id}`, each.rights] as const),
    ]);
    for (const stream of streams) {
      const { credential } = stream.caller;
      if (credentials.has(credential) && !isSame(stream.caller, rights.get(credential))) end(audience, stream);
    }
    const byDate = Math.min(...[...going, ...tokens].map(({ ends }) => ends ?? Infinity));
    lookAfter(audience, Math.min(byDate - now(), Math.min(...going.map((session) => endOf(audience, session))) - at));
  };

  const lookFor = async (audience: Audience, to: Position) => {
    if (isSamePosition(to, audience.at)) return;
    if (performance.now() - audience.sent < EVENT_EVERY_MS) return;
    const changes = await changesInScope(db, audience.scope, audience.at, to);
    if (!changes || changes.some(({ kind }) => ENDING.has(kind))) await endInvalid(audience);
    const event = changes && (await eventOf(db, audience.scope, changes));
    // From here on in one turn: a stream that opens now has everything up to here.
    audience.at = to;
    if (changes && !event) return;
    audience.sent = performance.now();
    const id = printPosition(to, audience.scope);
    sendAll(audience, event ? printed('change', event, id) : printed('reset', {}, id));
  };
  const look = () => {
    const lookOnce = async () => {
      const to = await currentPosition(db);
      for (const audience of audiences.values()) await lookFor(audience, to);
    };
    looking ??= lookOnce()
      .catch((cause: unknown) => logFault('events: could not look for changes', cause))
      .finally(() => (looking = undefined));
  };
  const noteUnchecked = (cause: unknown) => logFault('events: could not check who listens', cause);
  const comment = () => {
    for (const audience of audiences.values()) {
      sendAll(audience, ':\n\n');
      endInvalid(audience).catch(noteUnchecked);
    }
  };

  /** Sends a new stream what changed from the version it had up to the one that its audience has. */
  const catchUp = async (
    audience: Audience,
    stream: Stream,
    { version, at, present }: { version: string; at: Position; present: Position },
  ) => {
    const from = parsePosition(version, audience.scope);
    // A version of another node may be newer.
    const isAhead = from && from.opening === at.opening && from.seq > at.seq;
    const since = from && (await changesInScope(db, audience.scope, from, isAhead ? present : at));
    const changes = isAhead ? since && [] : since;
    const event = changes && (await eventOf(db, audience.scope, changes));
    if (!audience.streams.has(stream)) return;
    const id = printPosition(at, audience.scope);
    if (!changes) send(audience, stream, printed('reset', {}, id));
    else if (event) send(audience, stream, printed('change', event, id));
  };

  const streamsOf = (accountId: number) =>
    [...audiences.values()].reduce(
      (sum, { scope, streams }) => sum + (scope.accountId === accountId ? streams.size : 0),
      0,
    );

  const endAll = () => {
    for (const audience of audiences.values()) for (const stream of audience.streams) end(audience, stream);
  };
  const close = () => {
    isClosed = true;
    endAll();
  };

  return {
    open: async (caller, outgoing, since) => {
      const scope = scopeOf(caller);
      const key = scopeKey(scope);
      const present = await currentPosition(db);
      // Its 'close' has passed: nothing would ever remove the stream.
      if (outgoing.destroyed) return RESPONSE_ALREADY_SENT;
      if (isClosed || streamsOf(scope.accountId) >= MOST_STREAMS)
        throw new Problem(
          503,
          isClosed ? 'The service is stopping' : 'Too many dashboards are open',
          'Ask for /v1/changes instead, or try again later.',
          { headers: { 'Retry-After': '30' } },
        );
      const begun = {
        key,
        scope,
        streams: new Set<Stream>(),
        at: present,
        sent: Number.NEGATIVE_INFINITY,
        ends: new Map(),
      };
      const audience = audiences.get(key) ?? begun;
      // What is newer comes with the next event of all.
      const { at } = audience;
      const stream: Stream = { caller, outgoing };
      audiences.set(key, audience);
      audience.streams.add(stream);
      outgoing.once('close', () => remove(audience, stream));
      if (timers.length === 0)
        timers = [setInterval(look, LOOK_EVERY_MS).unref(), setInterval(comment, commentEveryMs).unref()];

      outgoing.writeHead(200, HEADERS);
      const Version = printPosition(at, scope);
      send(audience, stream, printed('ready', { Version }, since === undefined ? Version : undefined));
      try {
        // The role may have changed since the request was let in, before this stream belonged to its audience.
        await endInvalid(audience, new Set([stream]));
        if (since !== undefined && audience.streams.has(stream))
          await catchUp(audience, stream, { version: since, at, present });
      } catch (cause) {
        logFault('events: could not read what changed before', cause);
        // The client asks again, from where it was.
        end(audience, stream);
      }
      return RESPONSE_ALREADY_SENT;
    },
    count: () => [...audiences.values()].reduce((sum, { streams }) => sum + streams.size, 0),
    endAll,
    end: close,
    close: async () => {
      close();
      await looking;
    },
  };
}

const printed = (name: string, data: object, id: string | undefined) =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;

/** Kinds of changes that may take rights from somebody who listens. */
const ENDING: ReadonlySet<ChangeKind> = new Set(['session', 'token', 'person', 'account']);

/** Whether somebody may still do and see the same. More groups also need a new stream: everything has to be read again. */
const isSame = ({ role, account, groups }: Caller, rights: Rights | undefined): boolean =>
  rights?.role === role &&
  scopeKey({ accountId: account.id, groups }) === scopeKey({ accountId: account.id, groups: rights.groups });

/** The resources that each kind of change is reported as. The account has the numbers of many things. */
const REPORTED_AS: Readonly<Record<ChangeKind, readonly string[]>> = {
  device: ['devices'],
  job: ['jobs'],
  tunnel: ['tunnels'],
  artifact: ['artifacts', 'account'],
  workflow: ['workflows'],
  enrolment: ['enrolment'],
  tag: ['tags'],
  person: ['people', 'account'],
  token: ['account'],
  session: ['account'],
  account: ['account'],
  bulk: ['bulk'],
  rollout: ['rollouts'],
  alert: ['alerts', 'account'],
};

/** What is reported of a resource whose ids are reported. */
const idsOf = (ids: ReadonlySet<string> | 'many'): string[] | 'many' =>
  ids === 'many' || ids.size > MOST_IDS ? 'many' : [...ids];

/** What changed, by the name of the resource. */
class Reported {
  readonly names = new Map<string, Set<string> | 'many'>();

  /** Without ids, the resource is only named. */
  note(name: string, ids: Iterable<string> = []): void {
    const known = this.names.get(name) ?? new Set();
    this.names.set(name, known);
    if (known !== 'many') for (const id of ids) known.add(id);
  }

  /** Any of its objects may have changed. */
  noteMany(name: string): void {
    this.names.set(name, 'many');
  }
}

/** The event that reports changes; undefined for none. */
async function eventOf(db: Reader, scope: Scope, changes: readonly ScopedChange[]): Promise<ChangeEvent | undefined> {
  const reported = new Reported();
  const jobs = changes.filter(({ kind }) => kind === 'job');
  for (const { kind, what, id } of changes) {
    if (kind === 'job' || (scope.groups && NARROWED.has(kind))) continue;
    for (const name of REPORTED_AS[kind]) reported.note(name, [id]);
    if (kind === 'device' && what !== 'changed') reported.note('account');
  }
  if (scope.groups) await noteOwn(db, scope, changes, reported);
  else if (jobs.length > 0) {
    const parents = new Set(jobs.flatMap(({ parent }) => parent ?? []));
    const singles = jobs.flatMap(({ parent, id }) => (parent === null ? id : []));
    const ids = [...singles, ...(await jobIds(db, parents)).values()];
    if (ids.length > 0) reported.note('jobs', ids);
  }
  const { names } = reported;
  if (names.size === 0) return undefined;
  return Object.fromEntries(
    RESOURCES.filter(({ name }) => names.has(name)).map(({ name, live }) => [
      eventName(name),
      live === 'ids' ? idsOf(names.get(name) ?? new Set()) : true,
    ]),
  );
}

/** Kinds whose changes may concern devices of other groups. */
const NARROWED: ReadonlySet<ChangeKind> = new Set<ChangeKind>(['job', 'rollout', 'bulk']);
/** What a limited role sees through its devices. */
const THROUGH_DEVICES = ['jobs', 'rollouts', 'bulk'] as const;

/** Notes jobs, rollouts and bulk work for a role that is limited to groups. */
async function noteOwn(db: Reader, scope: Scope, changes: readonly ScopedChange[], reported: Reported): Promise<void> {
  const ofKind = (kind: ChangeKind) => changes.filter((each) => each.kind === kind);
  // What a device that comes or goes takes with it has no changes of its own.
  if (ofKind('device').some(({ what, regrouped }) => what === 'removed' || regrouped === 1)) {
    for (const name of THROUGH_DEVICES) reported.noteMany(name);
    for (const name of ['tunnels', 'alerts', 'account']) reported.note(name);
  }
  // Whose the items of bulk work are, and whose a deleted job was, is not known here: the lists say it.
  if (ofKind('bulk').length > 0) reported.noteMany('bulk');
  const rollouts = new Set(ofKind('rollout').map(({ id }) => id));
  const concerned = rollouts.size > 0 ? await ownRollouts(db, scope, rollouts) : [];
  if (concerned.length > 0) reported.note('rollouts', concerned);

  const jobs = ofKind('job');
  if (jobs.length === 0) return;
  const isGone = ({ what }: ScopedChange) => what === 'removed';
  const tops = new Set(jobs.flatMap((job) => (job.parent === null ? job.object : isGone(job) ? job.parent : [])));
  const children = new Set(jobs.flatMap((job) => (job.parent === null || isGone(job) ? [] : job.object)));
  const removed = new Set(jobs.flatMap((job) => (job.parent === null && isGone(job) ? job.object : [])));
  const own = [...(await ownJobs(db, scope, tops)), ...(await ownParents(db, scope, children))];
  if (own.length > 0) reported.note('jobs', own);
  if (removed.size > 0 && (await jobIds(db, removed)).size < removed.size) reported.noteMany('jobs');
}
