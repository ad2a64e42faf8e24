// The service's side of agents that speak HTTP: which session a request belongs to, and what it becomes. The messages
// are those of the WebSocket link, and go to the same listener. docs/agent-protocol.md has the requests.
import { cutMark, LINK_VERSION, STREAMS } from '#/contract/agent-link.ts';
import type { Facts, Hello, Stream } from '#/contract/agent-link.ts';
import {
  HOW,
  isJobId,
  LONGEST_WAIT_S,
  MAX_HELLO,
  MAX_OUTPUT,
  MAX_REASON,
  ONLINE_FOR_MS,
  readHello,
  UnreadableHello,
} from '#/contract/agent-http.ts';
import type { HttpHello } from '#/contract/agent-http.ts';
import { Problem } from '../http/problem.ts';
import type { Database } from '../store/database.ts';
import { deviceByKeyHash } from '../store/devices.ts';
import { hashSecret } from '../store/ids.ts';
import { isUnfinished } from '../store/jobs.ts';
import type { KeyRotation } from './key-rotation.ts';
import { endedBy, HttpConnection, nameOfKey, REQUEST_COST } from './http-connection.ts';
import type { Answer } from './http-connection.ts';
import { hasCredit } from './inbound-throttle.ts';
import { readAddress } from './link.ts';
import type { JobMessage, Link } from './link.ts';

/** One request of an agent, however it came. */
export interface AgentRequest {
  method: string;
  /** Below AGENT_HTTP_PATH, with a leading slash. */
  path: string;
  query: URLSearchParams;
  /** The number of the session that the agent names. */
  session: string | undefined;
  /** Reads the body, or throws a Problem if it is longer or does not arrive. */
  body: (limit: number) => Promise<Buffer>;
  /** Calls back when nobody waits for the answer any more. */
  whenGone: (gone: () => void) => void;
}

/** Hands a request to the node that the agent's session is at. */
export type Forward = (
  node: string,
  device: { seq: number; session: number },
  request: AgentRequest,
) => Promise<Answer | undefined>;

export interface HttpLink {
  /** Answers the request of an agent that showed this key; throws a Problem to refuse it. */
  answer(key: string | undefined, request: AgentRequest): Promise<Answer>;
  /** The same for a request that another node forwards: it has checked the key. */
  answerForNode(device: { seq: number; session: number }, request: AgentRequest): Promise<Answer>;
  close(): void;
}

export interface HttpLinkOptions {
  db: Database;
  /** Id of this node. */
  node: string;
  link: Pick<Link, 'of' | 'begin' | 'pass' | 'left'>;
  keyRotation: Pick<KeyRotation, 'use' | 'answered'>;
  /** Why no agent may begin at the moment. */
  refusal?: () => Error | undefined;
  /** The address for agents that do not say which one they use. */
  publicUrl: () => string;
  forward?: Forward | undefined;
  /** Milliseconds of the monotonic clock. */
  steady?: () => number;
}

const SWEEP_EVERY_MS = 5_000;
/** Requests of one session at a time, besides one that waits. */
const MOST_REQUESTS = 8;
/** Hellos of one device: so many at once, and one more each second. */
const MOST_HELLOS = 5;
const MAX_EXIT = 255;
const LATEST_END_S = 2 ** 31;
/** The name of an HTTP agent's data folder. It needs none: a job runs only after its `taken` was answered. */
const FOLDER = 'http';
const NO_UPDATES =
  'An agent that speaks HTTP is updated on the device: install it there again. It keeps its key and its jobs.';

const refusedKey = () =>
  new Problem(401, 'Unknown device key', 'Check the key, or make a new one on the page of the device.');
const busy = (why: string): Problem =>
  new Problem(429, why, 'Send it again later.', { headers: { 'Retry-After': '1' } });
const badRequest = (detail: string) => new Problem(400, 'The request is not valid', detail);
const next = (offset: number, isFull: boolean): Answer => ({
  status: 200,
  text: `next ${offset}${isFull ? '\nfull' : ''}`,
});

export function openHttpLink({
  db,
  node,
  link,
  keyRotation,
  refusal,
  publicUrl,
  forward,
  steady = () => performance.now(),
}: HttpLinkOptions): HttpLink {
  /** By the hash of their key. */
  const sessions = new Map<string, HttpConnection>();
  const hellos = new Map<number, { left: number; at: number }>();

  const closed = (connection: HttpConnection) => {
    const { keyName } = connection;
    if (sessions.get(keyName) === connection) sessions.delete(keyName);
    link.left(connection);
  };

  const renamed = (connection: HttpConnection, before: string) => {
    if (sessions.get(before) !== connection) return;
    sessions.delete(before);
    sessions.set(connection.keyName, connection);
  };

  const sweep = setInterval(() => {
    const silentSince = performance.now() - ONLINE_FOR_MS;
    for (const connection of sessions.values())
      if (!connection.isWaiting && connection.requests === 0 && connection.lastSeen < silentSince) connection.lose();
    const full = steady() - MOST_HELLOS * 1_000;
    for (const [seq, { at }] of hellos) if (at < full) hellos.delete(seq);
  }, SWEEP_EVERY_MS).unref();

  const requireHello = (seq: number) => {
    const now = steady();
    const { left, at } = hellos.get(seq) ?? { left: MOST_HELLOS, at: now };
    const has = Math.min(MOST_HELLOS, left + (now - at) / 1_000);
    if (has < 1) throw busy('This device says hello too often');
    hellos.set(seq, { left: has - 1, at: now });
  };

  const hello = async (key: string, { body }: AgentRequest): Promise<Answer> => {
    const closedFor = refusal?.();
    if (closedFor) throw closedFor;
    const keyHash = hashSecret(key);
    const device = await deviceByKeyHash(db, keyHash);
    if (!device) throw refusedKey();
    requireHello(device.seq);
    const said = helloOf((await body(MAX_HELLO)).toString());
    const connection = new HttpConnection(device, keyHash, { now: steady, closed, renamed });
    const welcomed = connection.welcomed();
    const address = readAddress(said.server ?? publicUrl());
    if (address === undefined) throw badRequest('"server" of the hello is no http or https address.');
    sessions.set(connection.keyName, connection);
    link.begin(connection, messageOf(said, address), factsOf(said));
    return welcomed;
  };

  /** Of a session at this node, or why it is over. */
  const answerFor = async (connection: HttpConnection, request: AgentRequest): Promise<Answer> => {
    connection.lastSeen = performance.now();
    if (!hasCredit(connection, steady())) throw busy('This device sends too much at once');
    connection.credit -= REQUEST_COST;
    if (request.path === '/next') return waitFor(connection, request);
    if (connection.requests >= MOST_REQUESTS) throw busy('This device sends too many requests at once');
    connection.requests += 1;
    try {
      if (request.path === '/key') return await refuseKey(connection, request);
      return await (request.path === '/facts' ? report : handleJob)(connection, request);
    } finally {
      connection.requests -= 1;
    }
  };

  const waitFor = (connection: HttpConnection, { query, whenGone }: AgentRequest): Promise<Answer> => {
    const wait = readWhole(query, 'wait', LONGEST_WAIT_S) ?? LONGEST_WAIT_S;
    const running = query.get('running') || undefined;
    if (running !== undefined && !isJobId(running)) throw badRequest('"running" names no job.');
    return connection.next(wait * 1_000, running, whenGone);
  };

  /** The agent says that it could not store the key that it was handed. */
  const refuseKey = async (connection: HttpConnection, { body }: AgentRequest): Promise<Answer> => {
    const reason = textOf(await body(MAX_REASON)) || 'Its agent gave no reason.';
    if (connection.closing) return connection.ended;
    connection.keepKey();
    await keyRotation.answered(connection, { type: 'key-refused', reason });
    return { status: 200, text: 'ok' };
  };

  /** What has changed since its hello. The device stays what its hello said: another version of the agent begins anew. */
  const report = async (connection: HttpConnection, { body }: AgentRequest): Promise<Answer> => {
    const bytes = await body(MAX_HELLO);
    connection.credit -= bytes.length;
    const facts = factsOf(helloOf(bytes.toString()));
    if (connection.closing || !(await pass(connection, facts))) return connection.ended;
    return { status: 204, text: '' };
  };

  const handleJob = async (connection: HttpConnection, request: AgentRequest): Promise<Answer> => {
    const [, job = '', what = ''] = JOB_PATH.exec(request.path) ?? [];
    if (what === 'taken') return take(connection, job);
    if (what === 'output') return store(connection, job, request);
    return end(connection, job, request);
  };

  /** Hands a message over; false if it could not be stored, which ends the session. */
  const pass = async (connection: HttpConnection, message: Facts | JobMessage): Promise<boolean> => {
    await link.pass(connection, message);
    return !connection.closing;
  };

  /** For a job that is not the session's: undefined if it is over. */
  const refuseOther = async (connection: HttpConnection, job: string): Promise<Answer | undefined> =>
    (await isUnfinished(db, connection.deviceSeq, job))
      ? { status: 409, text: `hello: job ${job} was not handed out in this session. Say hello again.` }
      : undefined;

  const take = async (connection: HttpConnection, job: string): Promise<Answer> => {
    connection.taken(job);
    if (connection.job?.id === job && !(await pass(connection, { type: 'taken', job }))) return connection.ended;
    if (connection.job?.id === job) return { status: 200, text: connection.isStopping(job) ? 'drop' : 'run' };
    return (await refuseOther(connection, job)) ?? { status: 200, text: 'drop' };
  };

  const store = async (connection: HttpConnection, job: string, request: AgentRequest): Promise<Answer> => {
    const stream = request.query.get('stream') as Stream;
    if (!STREAMS.includes(stream)) throw badRequest('"stream" must be stdout or stderr.');
    const offset = readWhole(request.query, 'offset', Number.MAX_SAFE_INTEGER - MAX_OUTPUT);
    if (offset === undefined) throw badRequest('"offset" is missing: it is the position of the first byte.');
    const bytes = await request.body(MAX_OUTPUT);
    connection.credit -= bytes.length;
    if (connection.closing) return connection.ended;
    const end = offset + bytes.length;
    const assigned = connection.job;
    // What the service no longer wants is thrown away, so that the agent gets to its end.
    if (assigned?.id !== job) return (await refuseOther(connection, job)) ?? next(end, true);
    const limit = connection.outputLimit;
    // The mark makes it longer than the limit.
    if (assigned[stream] > limit) return next(end, true);
    if (offset > assigned[stream]) return { ...next(assigned[stream], false), status: 409 };
    const kept = end > limit ? Buffer.concat([bytes.subarray(0, limit - offset), Buffer.from(cutMark(limit))]) : bytes;
    const data = kept.toString('base64');
    if (kept.length > 0 && !(await pass(connection, { type: 'output', job, stream, offset, data })))
      return connection.ended;
    const { job: stored } = connection;
    if (stored?.id !== job) return (await refuseOther(connection, job)) ?? next(end, true);
    const isFull = stored[stream] > limit;
    return next(isFull ? end : Math.max(offset, stored[stream]), isFull);
  };

  const end = async (connection: HttpConnection, job: string, request: AgentRequest): Promise<Answer> => {
    const { query } = request;
    const how = query.get('how');
    const outcome = how === null ? undefined : HOW.get(how);
    if (how !== null && !outcome) throw badRequest(`"how" must be one of ${[...HOW.keys()].join(', ')}.`);
    const exitCode = readWhole(query, 'exit', MAX_EXIT, 'a command that a signal ended has 128 + its number');
    if ((outcome === undefined) === (exitCode === undefined))
      throw badRequest(`Give either "exit", up to ${MAX_EXIT}, or "how", one of ${[...HOW.keys()].join(', ')}.`);
    const endedAgo = (readWhole(query, 'ago', LATEST_END_S) ?? 0) * 1_000;
    const reason = textOf(await request.body(MAX_REASON));
    if (connection.closing) return connection.ended;
    connection.taken(job);
    const message = {
      type: 'ended',
      job,
      outcome: outcome ?? 'exited',
      ...(exitCode !== undefined && { exitCode }),
      ...(reason !== '' && { reason }),
      endedAgo,
    } as const;
    if (connection.job?.id === job && !(await pass(connection, message))) return connection.ended;
    connection.stopped(job);
    if (connection.job?.id === job) return connection.ended;
    return (await refuseOther(connection, job)) ?? { status: 200, text: 'ok' };
  };

  /** The answer to a request of a session that is not at this node. */
  const answerElsewhere = async (
    device: { seq: number; session: number; node: string },
    request: AgentRequest,
  ): Promise<Answer> => {
    const number = readSession(request.session);
    if (number < device.session) return endedBy('replaced');
    if (number > device.session || device.node === node) return endedBy('lost');
    return (await forward?.(device.node, device, request)) ?? endedBy('lost');
  };

  /** The first request with the key that the device was handed in this session: it counts from now on. */
  const changeKey = async (
    device: { seq: number; session: number; node: string },
    keyHash: Uint8Array,
    request: AgentRequest,
  ): Promise<Answer> => {
    if (!(await db.write((tx) => keyRotation.use(tx, device.seq, keyHash)))) throw refusedKey();
    const connection = link.of(device.seq);
    if (!(connection instanceof HttpConnection) || connection.session !== device.session)
      return answerElsewhere(device, request);
    connection.useNewKey();
    return answerFor(connection, request);
  };

  return {
    answer: async (key, request) => {
      requireKnown(request);
      if (key === undefined) throw refusedKey();
      if (request.path === '/hello') return hello(key, request);
      const keyHash = hashSecret(key);
      const connection = sessions.get(nameOfKey(keyHash));
      if (connection && connection.session > 0 && String(connection.session) === request.session)
        return answerFor(connection, request);
      const device = await deviceByKeyHash(db, keyHash);
      if (!device) throw refusedKey();
      if (device.isNext && String(device.session) === request.session) return changeKey(device, keyHash, request);
      return answerElsewhere(device, request);
    },

    answerForNode: async ({ seq, session }, request) => {
      requireKnown(request);
      const connection = link.of(seq);
      return connection instanceof HttpConnection && connection.session === session
        ? answerFor(connection, request)
        : endedBy('lost');
    },

    close: () => clearInterval(sweep),
  };
}

const JOB_PATH = /^\/job\/([A-Za-z0-9_-]{1,64})\/(taken|output|ended)$/;
const METHODS: ReadonlyMap<string, string> = new Map([
  ['hello', 'POST'],
  ['next', 'GET'],
  ['key', 'POST'],
  ['facts', 'PUT'],
  ['taken', 'POST'],
  ['output', 'PUT'],
  ['ended', 'POST'],
]);

/** The kind of a request; undefined for a path that does not exist. */
export const kindOf = (path: string): string | undefined =>
  /^\/(?:hello|next|key|facts)$/.test(path) ? path.slice(1) : JOB_PATH.exec(path)?.[2];

function requireKnown({ method, path }: AgentRequest): void {
  const kind = kindOf(path);
  if (kind === undefined) throw new Problem(404, 'Not found', 'There is no such request for agents.');
  const right = METHODS.get(kind) ?? '';
  if (method !== right)
    throw new Problem(405, 'Method not allowed', `This takes ${right}.`, { headers: { Allow: right } });
}

function readSession(text: string | undefined): number {
  if (text === undefined || !/^\d{1,15}$/.test(text))
    throw badRequest('Muster-Session is missing or no number: it is in the answer to hello.');
  return Number(text);
}

/** A whole number of the query, at most `most`; undefined if it is not there. `hint` says what to send instead. */
function readWhole(query: URLSearchParams, name: string, most: number, hint = ''): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,16}$/.test(text) || Number(text) > most)
    throw badRequest(`"${name}" must be a number up to ${most}${hint && `: ${hint}`}.`);
  return Number(text);
}

const textOf = (bytes: Buffer): string =>
  bytes.toString().slice(0, 1_000).toWellFormed().replaceAll('\u0000', '\ufffd').trim();

function helloOf(body: string) {
  try {
    return readHello(body);
  } catch (cause) {
    if (cause instanceof UnreadableHello) throw badRequest(`${cause.message}.`);
    throw cause;
  }
}

/** The facts of a hello whose names are shorter there. */
const FACT_NAMES: ReadonlyMap<string, string> = new Map([
  ['agent', 'agent_version'],
  ['kind', 'agent_kind'],
]);

/** Its facts as the WebSocket link has them. */
const factsOf = ({ facts, problems }: HttpHello): Facts => ({
  type: 'facts',
  facts: [...facts].map(([name, value]) => ({ name: FACT_NAMES.get(name) ?? name, value })),
  problems,
});

/** The hello as the WebSocket link has it. */
function messageOf({ agentVersion, jobs, facts }: HttpHello, server: string): Hello {
  const short = (name: string) => (facts.get(name) ?? '').slice(0, 255);
  return {
    type: 'hello',
    version: LINK_VERSION,
    journal: FOLDER,
    server,
    agentVersion: agentVersion.slice(0, 255),
    os: short('os'),
    arch: short('arch'),
    hostname: short('hostname'),
    localAddr: short('addresses').split(/[ ,]/)[0] ?? '',
    localPort: '',
    jobs,
    allowsTunnels: 'none',
    update: { build: '', unable: NO_UPDATES },
  };
}
