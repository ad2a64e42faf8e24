// The messages between the service and the agent on a device: JSON text frames on one WebSocket that the agent opens.
// Both sides parse what they receive with these schemas. The agent's bundle contains only this file and its own folder.
//
// A job: `run` offers the device's oldest unfinished job, again at every `hello`. The agent stores it on disk, starts
// it and sends `started`; `output` carries what the command prints, each piece with its offset in the stream, so that a
// repeated piece changes nothing; `ended` closes it. `stored` confirms how much output the service has, and `settled`
// that it has the end: only then does the agent forget the job. docs/agent-protocol.md has all rules as a table.
//
// Tunnels: after each `welcome` the agent `offers` its configured destinations. `opened` lists their public addresses.
// When a visitor comes, `carry` asks the agent for another connection at CARRIER_PATH: it speaks HTTP/2
// (tunnel-carrier.ts), and each of its streams is one connection to a destination. Tunnels that a person opens from the
// dashboard need no message: `hello` says which destinations the agent allows, the service keeps these tunnels, and each
// stream names its destination, which the agent checks itself.
//
// Updates: `update` asks the agent to replace itself by the program at AGENT_PATH that a signed statement describes. It
// reports with `update-state`, and restarts when no job runs; the next `hello` shows its program, and any failure. After
// each `welcome`, `signer` tells an agent that checks signatures which key the service signs with.
//
// Keys: to an agent whose `hello` has `newKey`, the service sends a `key` when the device is to have another one. The
// agent stores it, uses it from then on, and answers `key-stored`, which ends the old one; or `key-refused`.
//
// Facts: after a `welcome` with `facts`, the agent reports the `facts` of its machine, at most at its start, once a day,
// and when one changes. Services without facts send no such field.
import * as z from 'zod/mini';
import { MAX_ALLOWANCE } from '#/contract/tunnel-allowance.ts';

/** Incremented by incompatible changes; part of `hello` and `welcome`. */
export const LINK_VERSION = 1;

/** Path of the agents' connections, below the service's address. */
export const LINK_PATH = '/agent/link';

/** Path of the carriers of tunnels, and the header with the ticket for one. */
export const CARRIER_PATH = '/agent/tunnels';
export const TICKET_HEADER = 'muster-ticket';

/** Where the service publishes the agent's program, below its address. */
export const AGENT_PATH = '/agent.mjs';
/** The same for the agent of plain sh. */
export const SH_AGENT_PATH = '/agent.sh';
/** The same for Node.js for devices that have none, compressed with gzip: `/runtimes/node-24.21.0-linux-x64.gz`. */
export const RUNTIMES_PATH = '/runtimes';
export const runtimeName = (version: string, platform: string): string => `node-${version}-${platform}.gz`;

/** Most tunnels of one agent. */
export const MAX_TUNNELS = 100;

/** The agent's ping interval; both sides treat the connection as lost after {@link LOST_AFTER_MS} of silence. */
export const PING_EVERY_MS = 15_000;
export const LOST_AFTER_MS = 35_000;

/** Most facts, and most problems, that an agent sends in one message; the service stores fewer. */
const MAX_REPORTED = 1_000;

/** Most bytes of output in one message, and most that an agent sends ahead of `stored`. */
export const OUTPUT_PIECE = 48 * 1024;
export const OUTPUT_WINDOW = 256 * 1024;

/** The last line of a stream that was cut. */
export const cutMark = (limit: number): string =>
  `\n[muster] Output cut here: this stream is longer than ${limit} bytes. The command was not stopped.\n`;

/** Largest frame either side accepts. */
export const MAX_FRAME = 1024 * 1024;

/** Why the service closes a connection; after any other code the agent connects again. */
export const CLOSE = { replaced: 4000, revoked: 4001, protocol: 4002, version: 4003 } as const;

export const STREAMS = ['stdout', 'stderr'] as const;
export type Stream = (typeof STREAMS)[number];

const jobId = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/));
const bytes = z.int().check(z.gte(0));
/** Text for people. NUL and halves of surrogate pairs, which not every store accepts, are replaced. */
const text = (length: number) =>
  z.string().check(
    z.maxLength(length),
    z.overwrite((given) => given.toWellFormed().replaceAll('\u0000', '\ufffd')),
  );
const short = text(255);
const sizes = z.object({ stdout: bytes, stderr: bytes });

/** How a command ended. `not-started`: it never ran. `interrupted`: it ran, and it is unknown how far. */
export const OUTCOMES = ['exited', 'timed-out', 'cancelled', 'interrupted', 'not-started'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** SHA-256 in hexadecimal. */
const digest = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const reason = text(1000);

/** A statement of the service and its Ed25519 signature, which covers exactly the characters of the statement. */
const signed = z.object({
  statement: z.string().check(z.maxLength(2000)),
  signature: z.string().check(z.regex(/^[A-Za-z0-9+/]{86}==$/)),
});
export type Signed = z.output<typeof signed>;

/** An Ed25519 public key: SPKI in base64. */
const publicKey = z.string().check(z.regex(/^[A-Za-z0-9+/]{59}=$/));

/** The position of a build in the order of publication; a higher one is newer. */
const sequence = z.int().check(z.gte(0));

/** Node.js for one platform, as the service publishes it: size and hash are those of the compressed file. */
const runtime = z.object({
  Platform: z.string().check(z.regex(/^[a-z0-9]+-[a-z0-9]+$/)),
  Version: z.string().check(z.regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/)),
  Sha256: digest,
  Size: bytes,
});
export type SignedRuntime = z.output<typeof runtime>;

/** What a service signs. `Kind` is part of each, so that no statement can be passed off as another. */
export const statements = {
  /** The agent's program, which is also the supervisor of its jobs. */
  agent: z.object({
    Kind: z.literal('agent'),
    Sha256: digest,
    Size: bytes,
    Version: short,
    Sequence: sequence,
    /** For agents that run under a Node.js of the service. Missing from services that have none. */
    Runtimes: z.optional(z.array(runtime).check(z.maxLength(5))),
  }),
  /** Replaces the key that signs this statement. */
  key: z.object({ Kind: z.literal('key'), Key: publicKey }),
  /** Permission to install an older program, for one device and for the process that generated the nonce. */
  order: z.object({
    Kind: z.literal('order'),
    DeviceId: z.string(),
    /** The hash of the device's key: identifies the device even to an agent that was given a wrong id. */
    DeviceKeySha256: digest,
    Nonce: short,
    Sequence: sequence,
  }),
};
export type Statement = {
  [Kind in keyof typeof statements]: z.output<(typeof statements)[Kind]>;
}[keyof typeof statements];

const failedUpdate = z.object({
  version: short,
  sha256: digest,
  reason,
  /** The new program was installed, and the previous one was restored. */
  wentBack: z.boolean(),
});
export type FailedUpdate = z.output<typeof failedUpdate>;

/** What an agent reports about updates. */
const selfUpdate = z.object({
  /** SHA-256 of its program; '' if that is not one file. */
  build: z.union([digest, z.literal('')]),
  /** Why it cannot update itself, and what to do instead; '' if it can. */
  unable: text(500),
  /** State of a running update: it waits for a job to end, or is being installed. */
  underWay: z.optional(z.enum(['waiting', 'installing'])),
  /** The last update, if it failed. */
  failed: z.optional(failedUpdate),
  /** Missing from agents that do not check signatures. */
  trust: z.optional(
    z.object({
      /** The key that it trusts; '' if it knows none yet. */
      key: z.union([publicKey, z.literal('')]),
      /** The highest sequence that it has run; it installs nothing older without a signed `order`. */
      sequence,
      /** A random value of this process, which an `order` must repeat. */
      nonce: jobId,
    }),
  ),
});
export type SelfUpdate = z.output<typeof selfUpdate>;

/** The characters that an Authorization header may contain (RFC 6750, section 2.1). */
const deviceKey = z.string().check(z.regex(/^[\w.~+/-]{1,200}=*$/));

const hello = z.object({
  type: z.literal('hello'),
  version: z.int(),
  /** Names the agent's data folder. A job given to one folder never runs from another. */
  journal: jobId,
  /** The service's address as the agent uses it; its commands download from there. */
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
  /** Unreadable files of its data folder, and where they were moved; reported once. */
  setAside: z.optional(z.array(text(1000)).check(z.maxLength(20))),
  /** The destinations that it lets the service ask for (tunnel-allowance.ts). Missing from older agents: none. */
  allowsTunnels: z.optional(text(MAX_ALLOWANCE)),
  /** Missing from agents of versions without updates. */
  update: z.optional(selfUpdate),
  /** Whether it can take a new key; missing from agents of versions that cannot. */
  newKey: z.optional(
    z.object({
      /** Why it cannot, and what to do instead; '' if it can. */
      unable: text(500),
    }),
  ),
});
export type Hello = z.output<typeof hello>;

const started = z.object({
  type: z.literal('started'),
  job: jobId,
  /** Milliseconds since the start. A duration, because the date of the device's clock may be wrong by years. */
  ago: bytes,
});

const output = z.object({
  type: z.literal('output'),
  job: jobId,
  stream: z.enum(STREAMS),
  /** Position of the first byte in the stream. */
  offset: bytes,
  /** base64 */
  data: z.string().check(z.maxLength(Math.ceil(OUTPUT_PIECE / 3) * 4)),
});

const ended = z.object({
  type: z.literal('ended'),
  job: jobId,
  outcome: z.enum(OUTCOMES),
  /** 128 + the signal's number for a command that a signal ended, as in shells. */
  exitCode: z.optional(z.int32()),
  /** For users; on every outcome but a plain exit. */
  reason: z.optional(reason),
  startedAgo: z.optional(bytes),
  endedAgo: bytes,
});
export type Ended = z.output<typeof ended>;

const tunnelNumber = z.int().check(z.gte(0), z.lt(MAX_TUNNELS));
/** Longer than 68 years counts as 68 years: a date that far from now can still be stored and shown. */
const seconds = z.int().check(
  z.gte(0),
  z.overwrite((given) => Math.min(given, 2 ** 31 - 1)),
);

const offer = z.object({
  /** The agent's number for the tunnel, valid while its process runs. */
  id: tunnelNumber,
  protocol: z.enum(['HTTP', 'TCP']),
  /** `<scheme>://<host>:<port>`, only for display: the agent alone decides where it leads. */
  dest: short,
  /** Of an HTTP tunnel: SHA-256 of the `user:password` that visitors must send, in hexadecimal. */
  login: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
  /** The tunnel ends after this long without traffic. */
  idleSeconds: z.optional(seconds),
  /** The tunnel ends after this time. A duration, so that it does not depend on clocks. */
  endsInSeconds: z.optional(seconds),
});
export type Offer = z.output<typeof offer>;

const offers = z.object({
  type: z.literal('offers'),
  /** Names the agent's process: a closed tunnel remains closed until another process starts. */
  run: jobId,
  offers: z.array(offer).check(z.maxLength(MAX_TUNNELS)),
});
export type Offers = z.output<typeof offers>;

const updateState = z.discriminatedUnion('state', [
  z.object({ type: z.literal('update-state'), state: z.enum(['waiting', 'installing']) }),
  z.object({ type: z.literal('update-state'), state: z.literal('failed'), failed: failedUpdate }),
]);
export type UpdateState = z.output<typeof updateState>;

const keyStored = z.object({
  type: z.literal('key-stored'),
  /** Of the key. */
  sha256: digest,
});
const keyRefused = z.object({ type: z.literal('key-refused'), reason });
/** What an agent answers to `key`: it will use that key from now on, or goes on with the one that it has. */
export type KeyAnswer = z.output<typeof keyStored> | z.output<typeof keyRefused>;

/** What does not fit the limits of facts is left out by the service, which then says so: it is no reason to disconnect. */
const anyText = z.string().check(z.overwrite((given) => given.toWellFormed().replaceAll('\u0000', '\ufffd')));
const facts = z.object({
  type: z.literal('facts'),
  facts: z.array(z.object({ name: anyText, value: anyText })).check(z.overwrite((all) => all.slice(0, MAX_REPORTED))),
  /** What could not be found out, for users: which program in `facts.d/` failed, and how. */
  problems: z.array(anyText).check(z.overwrite((all) => all.slice(0, MAX_REPORTED))),
});
export type Facts = z.output<typeof facts>;

const agentMessage = z.union([
  z.discriminatedUnion('type', [hello, started, output, ended, offers, facts, keyStored, keyRefused]),
  updateState,
]);
export type AgentMessage = z.output<typeof agentMessage>;

const welcome = z.object({
  type: z.literal('welcome'),
  version: z.int(),
  device: z.string(),
  name: z.string(),
  /** After a lost connection the agent reconnects within this time, which grows with the fleet. */
  reconnectMs: z.optional(bytes),
  /** It takes facts. SHA-256 of the last report (`reportText`), in hexadecimal; '' if there was none. */
  facts: z.optional(z.union([digest, z.literal('')])),
});

const run = z.object({
  type: z.literal('run'),
  job: jobId,
  command: z.string(),
  timeLimitSeconds: z.int().check(z.gte(1)),
  /** Most bytes stored of each stream. */
  outputLimit: bytes,
  /** Output that the service already has. */
  have: sizes,
});
export type Run = z.output<typeof run>;

const stored = z.object({ type: z.literal('stored'), job: jobId, have: sizes });

/** Stop the job, or never start it. The agent answers `ended`, as always. */
const cancel = z.object({ type: z.literal('cancel'), job: jobId });

const settled = z.object({ type: z.literal('settled'), job: jobId });

/** The public address of a tunnel, or why it has none. */
const opened = z.object({
  type: z.literal('opened'),
  tunnels: z.array(z.object({ id: tunnelNumber, address: z.optional(z.string()), refused: z.optional(z.string()) })),
});

/** The tunnel was closed from outside and must not be served any more. */
const closed = z.object({ type: z.literal('closed'), id: tunnelNumber, reason: z.string() });

/** Connect at CARRIER_PATH with this ticket. */
const carry = z.object({ type: z.literal('carry'), ticket: z.string().check(z.regex(/^[\w-]{1,255}$/)) });

/** Fetch the program at AGENT_PATH, and restart with it when no job runs. */
const update = z.object({
  type: z.literal('update'),
  version: short,
  sha256: digest,
  size: bytes,
  /** Missing from services that do not sign; the fields above are for agents that do not check. */
  signed: z.optional(signed),
  /** Present if the program is older than the one that runs. */
  order: z.optional(signed),
});
export type Update = z.output<typeof update>;

/** Use this key instead; the one before counts until the agent has answered, or connects with this one. */
const key = z.object({ type: z.literal('key'), key: deviceKey });

/** The key that the service signs with, and what it signed last. */
const signer = z.object({
  type: z.literal('signer'),
  key: publicKey,
  /** The chain from earlier keys to this one, oldest first: each is signed with the key before. */
  changes: z.array(signed).check(z.maxLength(100)),
  /** The program that it publishes. */
  published: z.optional(signed),
});
export type Signer = z.output<typeof signer>;

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
  signer,
  key,
]);
export type ServiceMessage = z.output<typeof serviceMessage>;

/** A frame that is not a valid message. */
export class UnreadableFrame extends Error {
  override readonly name = 'UnreadableFrame';
}

function parseJson(frame: string): unknown {
  try {
    return JSON.parse(frame);
  } catch (cause) {
    throw new UnreadableFrame('The frame is not JSON', { cause });
  }
}

/**
 * Parses a frame. Returns `undefined` for an unknown type, so that a newer peer may send more; throws UnreadableFrame
 * for anything else that is no message.
 */
function reader<Message>(types: readonly string[], schema: z.ZodMiniType<Message>) {
  return (frame: string): Message | undefined => {
    const value = parseJson(frame);
    const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
    if (typeof type === 'string' && !types.includes(type)) return undefined;
    const read = z.safeParse(schema, value);
    if (read.success) return read.data;
    throw new UnreadableFrame('The frame is no message', { cause: read.error });
  };
}
export const readAgentMessage = reader<AgentMessage>(
  ['hello', 'started', 'output', 'ended', 'offers', 'update-state', 'facts', 'key-stored', 'key-refused'],
  agentMessage,
);
export const readServiceMessage = reader<ServiceMessage>(
  ['welcome', 'run', 'stored', 'cancel', 'settled', 'opened', 'closed', 'carry', 'update', 'signer', 'key'],
  serviceMessage,
);

const anyHello = z.object({
  type: z.literal('hello'),
  version: z.int(),
  agentVersion: z.catch(short, ''),
});

/** Reads only the versions from the hello of an agent with another link version: nothing else in it is reliable. */
export function readOtherVersion(frame: string): { version: number; agentVersion: string } | undefined {
  const found = z.safeParse(anyHello, parseJson(frame));
  return found.success && found.data.version !== LINK_VERSION ? found.data : undefined;
}
