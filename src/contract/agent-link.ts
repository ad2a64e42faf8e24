// The messages between the service and the agent on a device: JSON text frames on one WebSocket that the agent opens.
// Both ends parse what they receive with these schemas. The agent is bundled from this file and its own folder alone.
//
// A job travels like this. `run` offers the device's oldest unfinished job, again at every `hello`. The agent writes it
// to disk, starts it and says `started`; `output` carries what the command prints, each piece with its place in the
// stream, so that a piece sent twice changes nothing; `ended` closes it. `stored` tells how much output is safe, and
// `settled` that the end is: only then does the agent forget the job.
//
// Tunnels: after each `welcome` the agent `offers` the destinations that it was started with. `opened` tells which of
// them have an address outside. When somebody comes, `carry` asks the agent to dial once more, at CARRIER_PATH: there
// they speak HTTP/2 (tunnel-carrier.ts), and each of its streams is one connection to a destination.
//
// Updates: `update` asks the agent to replace itself by the program at AGENT_PATH with this hash. It reports by
// `update-state`, and restarts when no job runs; the next `hello` shows which program it is, and what failed.
import * as z from 'zod/mini';

/** Raised when an older peer could no longer follow; `hello` and `welcome` carry it. */
export const LINK_VERSION = 1;

/** Where the agent dials, below the service's address. */
export const LINK_PATH = '/agent/link';

/** Where the agent dials for what comes through its tunnels, and the header with the ticket that it was given for that. */
export const CARRIER_PATH = '/agent/tunnels';
export const TICKET_HEADER = 'muster-ticket';

/** Where the service publishes the agent's program, below its address. */
export const AGENT_PATH = '/agent.mjs';

/** Tunnels that one agent may offer. */
export const MOST_TUNNELS = 100;

/** The agent pings this often; either side takes the link for lost after {@link LOST_AFTER_MS} of silence. */
export const PING_EVERY_MS = 15_000;
export const LOST_AFTER_MS = 35_000;

/** Most bytes of output in one message, and most that an agent sends ahead of `stored`. */
export const OUTPUT_PIECE = 48 * 1024;
export const OUTPUT_WINDOW = 256 * 1024;

/** Largest frame either side accepts. */
export const MAX_FRAME = 1024 * 1024;

/** Why the service ends a link; anything else is a reason to dial again. */
export const CLOSE = { replaced: 4000, revoked: 4001, protocol: 4002, version: 4003 } as const;

export const STREAMS = ['stdout', 'stderr'] as const;
export type Stream = (typeof STREAMS)[number];

const jobId = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/));
const bytes = z.int().check(z.gte(0));
const short = z.string().check(z.maxLength(255));
const sizes = z.object({ stdout: bytes, stderr: bytes });

/** How a command ended. `not-started`: it never ran. `interrupted`: it did, and nobody knows how far it came. */
export const OUTCOMES = ['exited', 'timed-out', 'cancelled', 'interrupted', 'not-started'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** SHA-256 in hexadecimal. */
const digest = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const reason = z.string().check(z.maxLength(1000));

const failedUpdate = z.object({
  version: short,
  sha256: digest,
  reason,
  /** The new program was in place already, and the one before it was put back. */
  wentBack: z.boolean(),
});
export type FailedUpdate = z.output<typeof failedUpdate>;

/** What an agent tells of updating itself. */
const selfUpdate = z.object({
  /** SHA-256 of its program; '' where that is not one file. */
  build: z.union([digest, z.literal('')]),
  /** Why it cannot update itself, and how it is done instead; '' where it can. */
  unable: z.string().check(z.maxLength(500)),
  /** An update is under way: it waits for a job to end, or is being installed. */
  underWay: z.optional(z.enum(['waiting', 'installing'])),
  /** The last update, where it failed. */
  failed: z.optional(failedUpdate),
});
export type SelfUpdate = z.output<typeof selfUpdate>;

const hello = z.object({
  type: z.literal('hello'),
  version: z.int(),
  /** Names the agent's data folder. A job handed to one folder never runs from another. */
  journal: jobId,
  /** The service's address as this agent dials it; the commands it is given fetch from there. */
  server: z.string().check(z.maxLength(2048)),
  agentVersion: short,
  os: short,
  arch: short,
  hostname: short,
  /** The device's side of the connection. */
  localAddr: short,
  localPort: short,
  /** Jobs on its disk that are not settled. */
  jobs: z.array(jobId).check(z.maxLength(1000)),
  /** What it found in its data folder that it could not read, and where it set that aside; reported once. */
  setAside: z.optional(z.array(z.string().check(z.maxLength(1000))).check(z.maxLength(20))),
  /** Missing from an agent of a time before it could update itself. */
  update: z.optional(selfUpdate),
});
export type Hello = z.output<typeof hello>;

const started = z.object({
  type: z.literal('started'),
  job: jobId,
  /** Milliseconds since, by the device's clock: its date may be years off, a difference is not. */
  ago: bytes,
});

const output = z.object({
  type: z.literal('output'),
  job: jobId,
  stream: z.enum(STREAMS),
  /** Place of the first byte in the stream. */
  offset: bytes,
  /** base64 */
  data: z.string().check(z.maxLength(Math.ceil(OUTPUT_PIECE / 3) * 4)),
});

const ended = z.object({
  type: z.literal('ended'),
  job: jobId,
  outcome: z.enum(OUTCOMES),
  /** 128 + the signal's number for a command that a signal ended, as shells have it. */
  exitCode: z.optional(z.int()),
  /** For a person; on every outcome but a plain exit. */
  reason: z.optional(reason),
  startedAgo: z.optional(bytes),
  endedAgo: bytes,
});
export type Ended = z.output<typeof ended>;

const tunnelNumber = z.int().check(z.gte(0), z.lt(MOST_TUNNELS));
const seconds = z.int().check(z.gte(0));

const offer = z.object({
  /** The agent's own number for it, as long as its process runs. */
  id: tunnelNumber,
  protocol: z.enum(['HTTP', 'TCP']),
  /** `<scheme>://<host>:<port>`, for people to read: where it leads is known to the agent alone. */
  dest: short,
  /** Of an HTTP tunnel: SHA-256 of the `user:password` that a visitor has to show, in hexadecimal. */
  login: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
  /** Ends after this long without traffic. */
  idleSeconds: z.optional(seconds),
  /** Ends this long from now, whatever the clocks say. */
  endsInSeconds: z.optional(seconds),
});
export type Offer = z.output<typeof offer>;

const offers = z.object({
  type: z.literal('offers'),
  /** Names the agent's process: a tunnel that was closed stays closed until there is another. */
  run: jobId,
  offers: z.array(offer).check(z.maxLength(MOST_TUNNELS)),
});
export type Offers = z.output<typeof offers>;

const updateState = z.discriminatedUnion('state', [
  z.object({ type: z.literal('update-state'), state: z.enum(['waiting', 'installing']) }),
  z.object({ type: z.literal('update-state'), state: z.literal('failed'), failed: failedUpdate }),
]);
export type UpdateState = z.output<typeof updateState>;

const agentMessage = z.union([z.discriminatedUnion('type', [hello, started, output, ended, offers]), updateState]);
export type AgentMessage = z.output<typeof agentMessage>;

const welcome = z.object({ type: z.literal('welcome'), version: z.int(), device: z.string(), name: z.string() });

const run = z.object({
  type: z.literal('run'),
  job: jobId,
  command: z.string(),
  timeLimitSeconds: z.int().check(z.gte(1)),
  /** Most bytes kept of each stream. */
  outputLimit: bytes,
  /** Output that the service has already. */
  have: sizes,
});
export type Run = z.output<typeof run>;

const stored = z.object({ type: z.literal('stored'), job: jobId, have: sizes });

/** Stop the job, or never start it; it is answered with `ended` like any other. */
const cancel = z.object({ type: z.literal('cancel'), job: jobId });

const settled = z.object({ type: z.literal('settled'), job: jobId });

/** The address outside of a tunnel, or why it has none. */
const opened = z.object({
  type: z.literal('opened'),
  tunnels: z.array(z.object({ id: tunnelNumber, address: z.optional(z.string()), refused: z.optional(z.string()) })),
});

/** The tunnel was closed from outside: nothing of it may be served any more. */
const closed = z.object({ type: z.literal('closed'), id: tunnelNumber, reason: z.string() });

/** Dial at CARRIER_PATH, with this ticket. */
const carry = z.object({ type: z.literal('carry'), ticket: z.string() });

/** Fetch the program at AGENT_PATH, and restart with it when no job runs. */
const update = z.object({ type: z.literal('update'), version: short, sha256: digest, size: bytes });
export type Update = z.output<typeof update>;

const serviceMessage = z.discriminatedUnion('type', [
  welcome,
  run,
  stored,
  cancel,
  settled,
  opened,
  closed,
  carry,
  update,
]);
export type ServiceMessage = z.output<typeof serviceMessage>;

/**
 * Reads a frame. `undefined` for a type this side has never heard of, so that a newer peer may say more; throws on a
 * broken one.
 */
function reader<Message>(types: readonly string[], schema: z.ZodMiniType<Message>) {
  return (frame: string): Message | undefined => {
    const value: unknown = JSON.parse(frame);
    const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
    if (typeof type === 'string' && !types.includes(type)) return undefined;
    return schema.parse(value);
  };
}
export const readAgentMessage = reader<AgentMessage>(
  ['hello', 'started', 'output', 'ended', 'offers', 'update-state'],
  agentMessage,
);
export const readServiceMessage = reader<ServiceMessage>(
  ['welcome', 'run', 'stored', 'cancel', 'settled', 'opened', 'closed', 'carry', 'update'],
  serviceMessage,
);

const anyHello = z.object({
  type: z.literal('hello'),
  version: z.int(),
  agentVersion: z.catch(short, ''),
});

/** The versions of an agent that speaks another version of this protocol: nothing else of its hello can be relied on. */
export function readOtherVersion(frame: string): { version: number; agentVersion: string } | undefined {
  const found = z.safeParse(anyHello, JSON.parse(frame));
  return found.success && found.data.version !== LINK_VERSION ? found.data : undefined;
}
