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
  changesBetween,
  isSamePosition,
  jobIds,
  parsePosition,
  currentPosition,
  printPosition,
} from '../store/changes.ts';
import type { Change, ChangeKind, Position } from '../store/changes.ts';
import type { Database, Reader } from '../store/database.ts';
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

/** The streams of an account. */
interface Audience {
  accountId: number;
  streams: Set<Stream>;
  /** All of them have the changes up to here. */
  at: Position;
  /** When the last event was sent, by the monotonic clock. */
  sent: number;
  /** Of the sessions that listen. */
  ends: Map<string, SessionEnd>;
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
  const audiences = new Map<number, Audience>();
  let isClosed = false;
  let looking: Promise<void> | undefined;
  let timers: NodeJS.Timeout[] = [];

  const remove = (audience: Audience, stream: Stream) => {
    audience.streams.delete(stream);
    if (audience.streams.size === 0 && audiences.get(audience.accountId) === audience)
      audiences.delete(audience.accountId);
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

  const hasEnded = ({ ends }: Audience, { id, created, last_used: lastUsed }: LiveSession): boolean => {
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
    return at >= due.idle || at >= due.lifetime;
  };

  /** Ends the streams of sessions and tokens that are not valid any more, or that give other rights than before. */
  const endInvalid = async (audience: Audience) => {
    const credentials = new Set([...audience.streams].map(({ caller }) => caller.credential));
    const idsOf = (prefix: string) =>
      [...credentials].filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length));
    const sessions = await liveSessions(db, idsOf('session:'), now());
    const tokens = await liveTokens(db, idsOf('token:'), now());
    const going = sessions.filter((session) => !hasEnded(audience, session));
    for (const id of audience.ends.keys()) if (!credentials.has(`session:${id}`)) audience.ends.delete(id);
    const valid = new Map<string, string>([
      ...going.map(({ id, rights }) => [`session:${id}`, printedRights(rights)] as const),
      ...tokens.map(({ id, rights }) => [`token:${id}`, printedRights(rights)] as const),
    ]);
    for (const stream of audience.streams) {
      const { credential } = stream.caller;
      if (credentials.has(credential) && valid.get(credential) !== printedRights(stream.caller)) end(audience, stream);
    }
  };

  const lookFor = async (audience: Audience, to: Position) => {
    if (isSamePosition(to, audience.at)) return;
    if (performance.now() - audience.sent < EVENT_EVERY_MS) return;
    const changes = await changesBetween(db, audience.accountId, audience.at, to);
    if (!changes || changes.some(({ kind }) => ENDING.has(kind))) await endInvalid(audience);
    const event = changes && (await eventOf(db, changes));
    // From here on in one turn: a stream that opens now has everything up to here.
    audience.at = to;
    if (changes && !event) return;
    audience.sent = performance.now();
    sendAll(audience, event ? printed('change', event, to) : printed('reset', {}, to));
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
  const comment = () => {
    for (const audience of audiences.values()) {
      sendAll(audience, ':\n\n');
      endInvalid(audience).catch((cause: unknown) => logFault('events: could not check who listens', cause));
    }
  };

  /** Sends a new stream what changed from the version it had up to the one that its audience has. */
  const catchUp = async (
    audience: Audience,
    stream: Stream,
    { version, at, present }: { version: string; at: Position; present: Position },
  ) => {
    const from = parsePosition(version);
    // A version of another node may be newer.
    const isAhead = from && from.opening === at.opening && from.seq > at.seq;
    const since = from && (await changesBetween(db, audience.accountId, from, isAhead ? present : at));
    const changes = isAhead ? since && [] : since;
    const event = changes && (await eventOf(db, changes));
    if (!audience.streams.has(stream)) return;
    if (!changes) send(audience, stream, printed('reset', {}, at));
    else if (event) send(audience, stream, printed('change', event, at));
  };

  const endAll = () => {
    for (const audience of audiences.values()) for (const stream of audience.streams) end(audience, stream);
  };
  const close = () => {
    isClosed = true;
    endAll();
  };

  return {
    open: async (caller, outgoing, since) => {
      const accountId = caller.account.id;
      const present = await currentPosition(db);
      // Its 'close' has passed: nothing would ever remove the stream.
      if (outgoing.destroyed) return RESPONSE_ALREADY_SENT;
      if (isClosed || (audiences.get(accountId)?.streams.size ?? 0) >= MOST_STREAMS)
        throw new Problem(
          503,
          isClosed ? 'The service is stopping' : 'Too many dashboards are open',
          'Ask for /v1/changes instead, or try again later.',
          { headers: { 'Retry-After': '30' } },
        );
      const begun = {
        accountId,
        streams: new Set<Stream>(),
        at: present,
        sent: Number.NEGATIVE_INFINITY,
        ends: new Map(),
      };
      const audience = audiences.get(accountId) ?? begun;
      // What is newer comes with the next event of all.
      const { at } = audience;
      const stream: Stream = { caller, outgoing };
      audiences.set(accountId, audience);
      audience.streams.add(stream);
      outgoing.once('close', () => remove(audience, stream));
      if (timers.length === 0)
        timers = [setInterval(look, LOOK_EVERY_MS).unref(), setInterval(comment, commentEveryMs).unref()];

      outgoing.writeHead(200, HEADERS);
      send(audience, stream, printed('ready', { Version: printPosition(at) }, since === undefined ? at : undefined));
      if (since !== undefined)
        await catchUp(audience, stream, { version: since, at, present }).catch((cause: unknown) => {
          logFault('events: could not read what changed before', cause);
          // The client asks again, from where it was.
          end(audience, stream);
        });
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

const printedRights = ({ role, groups }: Rights): string => JSON.stringify([role, groups]);

/** Kinds of changes that may take rights from somebody who listens. */
const ENDING: ReadonlySet<ChangeKind> = new Set(['session', 'token', 'person', 'account']);

const printed = (name: string, data: object, at: Position | undefined) =>
  `event: ${name}\n${at ? `id: ${printPosition(at)}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

/** The resources that each kind of change is reported as. The account has the numbers of many things. */
const REPORTED_AS: Readonly<Record<ChangeKind, readonly string[]>> = {
  device: ['devices'],
  job: ['jobs'],
  tunnel: ['tunnels'],
  artifact: ['artifacts', 'account'],
  workflow: ['workflows'],
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
const idsOf = (ids: ReadonlySet<string>): string[] | 'many' => (ids.size > MOST_IDS ? 'many' : [...ids]);

/** The event that reports changes; undefined for none. */
async function eventOf(db: Reader, changes: Change[]): Promise<ChangeEvent | undefined> {
  const reported = new Map<string, Set<string>>();
  const note = (name: string) => {
    const ids = reported.get(name) ?? new Set();
    reported.set(name, ids);
    return ids;
  };
  const parents = new Set<number>();
  for (const { kind, what, parent, id } of changes) {
    if (kind === 'job' && parent !== null) parents.add(parent);
    else for (const name of REPORTED_AS[kind]) note(name).add(id);
    if (kind === 'device' && what !== 'changed') note('account');
  }
  for (const id of (await jobIds(db, parents)).values()) note('jobs').add(id);
  if (reported.size === 0) return undefined;
  return Object.fromEntries(
    RESOURCES.filter(({ name }) => reported.has(name)).map(({ name, live }) => [
      eventName(name),
      live === 'ids' ? idsOf(reported.get(name) ?? new Set()) : true,
    ]),
  );
}
