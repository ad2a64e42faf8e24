// The service's side of the agents' connections: which may connect, which are connected, and which became silent.
// Listeners handle the messages.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { RawData, WebSocket } from 'ws';
import {
  CLOSE,
  LINK_PATH,
  LINK_VERSION,
  LOST_AFTER_MS,
  MAX_FRAME,
  readAgentMessage,
  readOtherVersion,
} from '#/contract/agent-link.ts';
import type { AgentMessage, Facts, Hello, KeyAnswer, Offers, UpdateState } from '#/contract/agent-link.ts';
import { bearerOf } from '../http/bearer.ts';
import { refuseFailed } from '../http/end-socket.ts';
import { Problem } from '../http/problem.ts';
import { notFound } from '../store/errors.ts';
import type { Database } from '../store/database.ts';
import { logFault } from '../store/system-fault.ts';
import { deviceByKeyHash, markOffline, markSeen, markRefused } from '../store/devices.ts';
import type { DeviceRow } from '../store/devices.ts';
import { hashSecret } from '../store/ids.ts';
import type { AgentConnection } from './agent-connection.ts';
import { SocketConnection } from './socket-connection.ts';
import { InboundThrottle } from './inbound-throttle.ts';
import { spreadOf } from './reconnect-spread.ts';
import type { Frame } from './inbound-throttle.ts';

/** An agent that speaks HTTP has a job on its disk, and asks whether to run it. */
interface Taken {
  type: 'taken';
  job: string;
}
export type JobMessage = Exclude<AgentMessage, Facts | Hello | KeyAnswer | Offers | UpdateState> | Taken;

/** Carries the traffic of the agents' tunnels. */
export interface TunnelListener {
  offered(connection: AgentConnection, offers: Offers): void;
  closed(connection: AgentConnection): void;
}

/** Handles the messages of agents. */
export interface LinkListener {
  /** An agent sent its hello. It is the only one of its device from now on. */
  hello(connection: AgentConnection, hello: Hello): void;
  /** `handled` is called when the message is stored, or the connection was closed because it could not be. */
  message(connection: AgentConnection, message: Facts | JobMessage, handled?: () => void): void;
  /** A connection closed after its hello, and no newer one replaced it. */
  closed(connection: AgentConnection): void;
}

export interface Link {
  /** An agent asks to turn its HTTP request into a connection. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** An agent that speaks HTTP said hello: this is the connection of its device from now on. */
  begin(connection: AgentConnection, hello: Hello, facts: Facts): void;
  /** Such an agent sent facts, or a message about a job; resolves when it is stored, or the connection closed. */
  pass(connection: AgentConnection, message: Facts | JobMessage): Promise<void>;
  /** The session of such an agent is over. */
  left(connection: AgentConnection): void;
  /**
   * Ends a connection that no longer counts: what still arrives on it is ignored. The agent gets the reason and does
   * not reconnect.
   */
  end(connection: AgentConnection, why: keyof typeof ENDS): void;
  /** The device's connection, if its agent is connected. */
  of(deviceSeq: number): AgentConnection | undefined;
  /** Closes the connections of all agents, at random moments within this time: they connect again. */
  sendAway(withinMs: number, reason: string): void;
  all(): Iterable<AgentConnection>;
  /** Over which time agents are to spread their attempts to connect again. */
  reconnectMs(): number;
  listen(listener: LinkListener): void;
  listenForTunnels(listener: TunnelListener): void;
  /** Calls back for what agents report of updating themselves. */
  listenForUpdates(listener: (connection: AgentConnection, message: UpdateState) => void): void;
  /** Calls back when an agent has answered to a new key. */
  listenForKeys(listener: (connection: AgentConnection, message: KeyAnswer) => void): void;
  close(): Promise<void>;
}

const ENDS: Record<'deleted' | 'rekeyed' | 'replaced', [code: number, reason: string]> = {
  deleted: [CLOSE.revoked, 'the device was deleted'],
  rekeyed: [CLOSE.revoked, 'the device was given a new key'],
  replaced: [CLOSE.replaced, 'Another agent connected with the same device key'],
};

const SWEEP_EVERY_MS = 5_000;
const SEEN_EVERY_MS = 60_000;
const HELLO_TIMEOUT_MS = 15_000;
/** Agents of one unit of work. */
const NOTED_AT_ONCE = 100;

/** An agent whose connection ended, as markOffline wants it. */
interface Left {
  seq: number;
  session: number;
  sentAway: boolean;
  at: number;
}

export interface LinkOptions {
  db: Database;
  /** Id of this node. */
  node: string;
  now: () => number;
  /** Why no agent may connect at the moment: its messages could not be stored. */
  refusal?: () => Error | undefined;
  /** A connection without messages for this long counts as lost. */
  lostAfterMs?: number;
  sweepEveryMs?: number;
}

export function openLink({
  db,
  node,
  now,
  refusal,
  lostAfterMs = LOST_AFTER_MS,
  sweepEveryMs = SWEEP_EVERY_MS,
}: LinkOptions): Link {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME,
    clientTracking: false,
    // Pings count against the rate of a connection, too: inbound-throttle.ts answers them.
    autoPong: false,
  });
  /** Every open socket with its connection; `live` has the latest one of each device after its hello. */
  const connections = new Map<WebSocket, SocketConnection>();
  const live = new Map<number, AgentConnection>();
  let listener: LinkListener | undefined;
  let tunnels: TunnelListener | undefined;
  let keys: ((connection: AgentConnection, message: KeyAnswer) => void) | undefined;
  let updates: ((connection: AgentConnection, message: UpdateState) => void) | undefined;

  const background = (work: Promise<unknown>) => {
    work.catch((cause: unknown) => logFault('link: could not note who is online', cause));
  };

  /** Agents that left while the database could not note it. */
  let unnoted: Left[] = [];
  const noteLeft = (left: Left[]) => {
    const noted = db.write(async (tx) => {
      for (const one of left) await markOffline(tx, one, one.at);
    });
    background(
      noted.catch((cause: unknown) => {
        unnoted.push(...left);
        throw cause;
      }),
    );
  };

  const dropSocket = (connection: SocketConnection) => {
    connections.delete(connection.socket);
    throttle.drop(connection);
    drop(connection);
  };

  const drop = (connection: AgentConnection) => {
    if (live.get(connection.deviceSeq) !== connection) return;
    live.delete(connection.deviceSeq);
    const { deviceSeq: seq, session, sentAway } = connection;
    noteLeft([{ seq, session, sentAway, at: now() }]);
    listener?.closed(connection);
    tunnels?.closed(connection);
  };

  const receive = (connection: SocketConnection, frame: string) => {
    let message: AgentMessage | undefined;
    try {
      // Checked first, because the rest may have another format in another version.
      const other = connection.greeted ? undefined : readOtherVersion(frame);
      if (other) return turnAway(connection, other);
      message = readAgentMessage(frame);
    } catch {
      connection.close(CLOSE.protocol, 'The service could not read a message of the agent');
      return;
    }
    if (message?.type === 'hello') greet(connection, message);
    else if (!connection.greeted) connection.close(CLOSE.protocol, 'An agent begins with hello');
    // Of two agents of one device only the newer counts.
    else if (!message || live.get(connection.deviceSeq) !== connection) return;
    else if (message.type === 'offers') tunnels?.offered(connection, message);
    else if (message.type === 'update-state') updates?.(connection, message);
    else if (message.type === 'key-stored' || message.type === 'key-refused') keys?.(connection, message);
    else listener?.message(connection, message);
  };

  const turnAway = (
    connection: SocketConnection,
    { version, agentVersion }: { version: number; agentVersion: string },
  ) => {
    const isOld = version < LINK_VERSION;
    connection.close(
      CLOSE.version,
      `the agent speaks version ${version}, the service ${LINK_VERSION}: update the ${isOld ? 'agent' : 'service'}`,
    );
    const text = `It speaks version ${version} of the link, the service version ${LINK_VERSION}.`;
    const refused = { version: agentVersion, problem: isOld ? 'TooOld' : 'TooNew', text, at: now() } as const;
    background(db.write((tx) => markRefused(tx, connection.deviceSeq, refused)));
  };

  const greet = (connection: SocketConnection, hello: Hello) => {
    const address = readAddress(hello.server);
    if (connection.greeted || address === undefined)
      connection.close(CLOSE.protocol, 'The hello of the agent makes no sense');
    else begin(connection, hello, address);
  };

  const begin = (connection: AgentConnection, hello: Hello, address: string) => {
    connection.greeted = true;
    connection.journal = hello.journal;
    connection.server = address;
    connection.agentVersion = hello.agentVersion;
    connection.allowsTunnels = hello.allowsTunnels ?? '';
    connection.selfUpdate = hello.update;
    const older = live.get(connection.deviceSeq);
    live.set(connection.deviceSeq, connection);
    older?.close(...ENDS.replaced);
    if (older) {
      listener?.closed(older);
      tunnels?.closed(older);
    }
    listener?.hello(connection, hello);
  };

  const throttle = new InboundThrottle({
    receive: (connection, { kind, bytes }) => {
      connection.lastSeen = performance.now();
      if (kind === 'message') receive(connection, bytes.toString());
      if (kind !== 'ping' || connection.closing) return;
      connection.socket.pong(bytes);
      connection.closeIfUnread();
    },
  });
  const accept = (socket: WebSocket, frame: Frame) => {
    const connection = connections.get(socket);
    if (connection && !connection.closing) throttle.accept(connection, frame);
  };

  // Shared by all sockets; ws calls them with the socket as `this`.
  function onMessage(this: WebSocket, bytes: RawData, isBinary: boolean) {
    if (!isBinary) accept(this, { kind: 'message', bytes: bytes as Buffer });
    else connections.get(this)?.close(CLOSE.protocol, 'This version has no binary messages');
  }
  function onPing(this: WebSocket, bytes: Buffer) {
    accept(this, { kind: 'ping', bytes });
  }
  function onPong(this: WebSocket, bytes: Buffer) {
    accept(this, { kind: 'pong', bytes });
  }
  function onClose(this: WebSocket) {
    const connection = connections.get(this);
    if (connection) dropSocket(connection);
  }
  // A broken frame or connection; ws closes the socket, and `close` follows.
  function onError() {}

  const sweep = setInterval(() => {
    const silentSince = performance.now() - lostAfterMs;
    const mute = performance.now() - HELLO_TIMEOUT_MS;
    for (const [socket, { lastSeen, greeted }] of connections)
      if (lastSeen < silentSince || (!greeted && lastSeen < mute)) socket.terminate();
    const left = unnoted;
    unnoted = [];
    for (let start = 0; start < left.length; start += NOTED_AT_ONCE) noteLeft(left.slice(start, start + NOTED_AT_ONCE));
  }, sweepEveryMs).unref();
  let devices = 0;
  const countDevices = () =>
    db.get<{ devices: number | null }>('SELECT sum(num_devices) AS devices FROM accounts').then(
      (row) => (devices = row?.devices ?? 0),
      (cause: unknown) => logFault('link: could not count the devices', cause),
    );
  void countDevices();
  // Keeps "last seen" nearly right after a crash.
  const seen = setInterval(() => {
    void countDevices();
    if (live.size > 0) background(db.write((tx) => markSeen(tx, node, now())));
  }, SEEN_EVERY_MS).unref();

  /** The device of an agent that may connect, with its key; throws the reason why it may not. */
  const admit = async (request: IncomingMessage): Promise<{ device: DeviceRow; keyHash: Uint8Array }> => {
    const path = (request.url ?? '').split('?')[0];
    if (path !== LINK_PATH) throw notFound('connection', path ?? '');
    const closed = refusal?.();
    if (closed) throw closed;
    const key = bearerOf(request.headers.authorization ?? '');
    const keyHash = key === undefined ? undefined : hashSecret(key);
    const device = keyHash && (await deviceByKeyHash(db, keyHash));
    if (device && keyHash) return { device, keyHash };
    throw new Problem(401, 'Unknown device key', 'Check the key, or make a new one on the page of the device.');
  };

  return {
    upgrade: (request, socket, head) => {
      socket.on('error', onError);
      admit(request).then(
        ({ device, keyHash }) => {
          server.handleUpgrade(request, socket, head, (opened) => {
            connections.set(opened, new SocketConnection(opened, device, keyHash));
            opened
              .on('message', onMessage)
              .on('ping', onPing)
              .on('pong', onPong)
              .on('close', onClose)
              .on('error', onError);
          });
        },
        (cause: unknown) => refuseFailed(socket, 'link', cause),
      );
    },

    begin: (connection, hello, facts) => {
      begin(connection, hello, hello.server);
      listener?.message(connection, facts);
    },
    pass: (connection, message) =>
      new Promise((handled) => {
        if (live.get(connection.deviceSeq) === connection && listener) listener.message(connection, message, handled);
        else handled();
      }),
    left: drop,

    end: (connection, why) => {
      connection.close(...ENDS[why]);
      if (connection instanceof SocketConnection) dropSocket(connection);
      else drop(connection);
    },

    sendAway: (withinMs, reason) => {
      for (const connection of new Set<AgentConnection>([...connections.values(), ...live.values()]))
        setTimeout(() => connection.sendAway(reason), Math.random() * withinMs);
    },
    of: (deviceSeq) => live.get(deviceSeq),
    all: () => live.values(),
    reconnectMs: () => spreadOf(devices),
    listen: (to) => {
      listener = to;
    },
    listenForTunnels: (to) => {
      tunnels = to;
    },
    listenForUpdates: (to) => {
      updates = to;
    },
    listenForKeys: (to) => {
      keys = to;
    },

    close: async () => {
      clearInterval(sweep);
      clearInterval(seen);
      const open = [...connections.values()];
      const closed = open.map(({ socket }) => new Promise((resolve) => socket.once('close', resolve)));
      for (const connection of new Set<AgentConnection>([...open, ...live.values()]))
        connection.sendAway('The service is stopping');
      await Promise.all(closed);
      server.close();
    },
  };
}

/** The address that an agent uses, safe in a command. */
export function readAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    return undefined;
  return url.origin;
}
