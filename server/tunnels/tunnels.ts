// The connected tunnels: those that an agent offers, and those that people opened here ("requested"), once their agent is
// connected. Closed when the agent disconnects, a user deletes them, or they expire. The HTTP and TCP fronts handle
// visitors.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Offer, Offers } from '#/contract/agent-link.ts';
import type { Audit } from '../store/audit.ts';
import type { Clock } from '../clock.ts';
import type { AgentConnection } from '../agents/agent-connection.ts';
import type { Link } from '../agents/link.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { NodeProofs } from '../cluster/node-proof.ts';
import type { Database, Tx } from '../store/database.ts';
import { accountOfDevice, deviceByKey, isLatest } from '../store/devices.ts';
import {
  closeTunnel,
  connectRequested,
  noteTraffic,
  pruneTunnels,
  markTunnelsDown,
  openTunnel,
  releaseUnusedPorts,
  requestedTunnels,
  tunnelsOfDevice,
  withdrawTunnels,
} from '../store/tunnels.ts';
import type { RequestedTunnel } from '../store/tunnels.ts';
import { openCarrierRelay } from './carrier-relay.ts';
import { openCarriers } from './carriers.ts';
import { logFault } from '../store/system-fault.ts';
import { LiveTunnel } from './live-tunnel.ts';
import { ALLOWS_NONE, allows, parseAllowance, parseDestination } from '#/contract/tunnel-allowance.ts';
import { singleFlight } from '../single-flight.ts';
import { openTcpPorts } from './tcp-ports.ts';
import type { TcpPort } from './tcp-ports.ts';

export interface Tunnels {
  /** Handles the request of an agent that opens a carrier. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** The connected tunnel of this name. */
  find(name: string): LiveTunnel | undefined;
  /** A free port for a TCP tunnel; undefined if there is none. */
  freePort(): Promise<number | undefined>;
  /** How many TCP tunnels one device may have. */
  portShare: number;
  close(): Promise<void>;
}

export interface TunnelsOptions {
  db: Database;
  link: Link;
  cluster: Pick<Cluster, 'id' | 'onSyncAgents' | 'urlOf'>;
  audit: Audit;
  clock: Pick<Clock, 'now' | 'steady'>;
  /** The address that TCP tunnels listen on. */
  host: string;
  tcpPorts: { first: number; last: number; perDevice: number };
  /** The public address of a tunnel. */
  addressOf: (tunnel: { name: string; protocol: 'HTTP' | 'TCP'; port: number | null }) => string;
  /** Turns the hash of a login into a proof that lets other nodes check it; undefined without a cluster. */
  loginProof?: (loginHash: string) => string;
  /** Lets nodes authenticate each other; undefined without a cluster. */
  proofs?: NodeProofs | undefined;
  /** Whether other nodes show the traffic of these tunnels. */
  isShared?: boolean;
  sweepEveryMs?: number;
}

const SWEEP_EVERY_MS = 1_000;
const NOTE_EVERY_MS = 5_000;
const CLOSED = 'it was closed, and stays so until the agent is started again';

export function openTunnels(options: TunnelsOptions): Tunnels {
  const { db, link, audit, clock, addressOf } = options;
  const carriers = openCarriers({
    node: options.cluster.id,
    deviceOf: async (key) => (await deviceByKey(db, key))?.seq,
    relay: options.proofs && openCarrierRelay(options.cluster.id, options.proofs),
    urlOf: (node) => options.cluster.urlOf(node),
  });
  const ports = openTcpPorts(db, options.host, options.tcpPorts);
  const { first, last, perDevice } = options.tcpPorts;
  // Half of the ports stay available to other devices, however few there are.
  const portShare = Math.max(1, Math.min(perDevice, Math.floor((last - first + 1) / 2)));
  const live = new Map<string, LiveTunnel>();
  /** The same by device, so that a disconnecting agent does not require a scan of all other tunnels. */
  const byDevice = new Map<number, Set<LiveTunnel>>();
  const tunnelsOf = (deviceSeq: number) => [...(byDevice.get(deviceSeq) ?? [])];
  const offering = new WeakSet<AgentConnection>();

  const add = (tunnel: LiveTunnel) => {
    const { deviceSeq } = tunnel.agent;
    const former = live.get(tunnel.name);
    if (former) remove(former);
    live.set(tunnel.name, tunnel);
    byDevice.set(deviceSeq, (byDevice.get(deviceSeq) ?? new Set()).add(tunnel));
  };
  const remove = (tunnel: LiveTunnel, reason?: string) => {
    const { deviceSeq } = tunnel.agent;
    if (live.get(tunnel.name) === tunnel) live.delete(tunnel.name);
    const others = byDevice.get(deviceSeq);
    others?.delete(tunnel);
    if (others?.size === 0) byDevice.delete(deviceSeq);
    tunnel.end();
    if (reason !== undefined && tunnel.id !== undefined) tunnel.agent.send({ type: 'closed', id: tunnel.id, reason });
  };

  /** Opens the tunnels that an agent offers in one unit of work, and sends it their addresses. */
  const open = async (agent: AgentConnection, { run, offers }: Offers) => {
    const { deviceSeq } = agent;
    const before = await tunnelsOfDevice(db, deviceSeq);
    if (before.known.length === 0 && offers.length === 0) return;
    const isClosed = ({ protocol, dest }: Offer) =>
      before.closed.some((mark) => mark.run === run && mark.protocol === protocol && mark.localDest === dest);
    const results: { id: number; address?: string; refused?: string }[] = [];
    const opening: { offer: Offer; port?: TcpPort }[] = [];
    for (const offer of offers) {
      if (isClosed(offer)) {
        results.push({ id: offer.id, refused: CLOSED });
        continue;
      }
      if (offer.protocol === 'HTTP') {
        opening.push({ offer });
        continue;
      }
      if (opening.filter(({ port }) => port).length >= portShare) {
        results.push({
          id: offer.id,
          refused: `this device has ${portShare} TCP tunnels, the most that one may have here (TUNNEL_TCP_PORTS_PER_DEVICE)`,
        });
        continue;
      }
      const known = before.known.find(
        ({ protocol, localDest, requested }) => protocol === 'TCP' && localDest === offer.dest && requested === 0,
      );
      const port =
        (await ports.listen(known?.port ?? undefined)) ??
        (await db.write(releaseUnusedPorts).then(() => ports.listen(undefined)));
      if (port) opening.push({ offer, port });
      else results.push({ id: offer.id, refused: 'the service has no port left for it (TUNNEL_TCP_PORTS)' });
    }
    const up = await db.write(async (tx) => {
      const accountId = await accountOfDevice(tx, deviceSeq);
      // The device was deleted, or a newer agent replaced this one, so its offers no longer count.
      if (accountId === undefined || link.of(deviceSeq) !== agent || !(await isLatest(tx, agent))) return undefined;
      await withdrawTunnels(tx, deviceSeq, run);
      const opened: { name: string; offer: Offer; port: TcpPort | undefined }[] = [];
      for (const { offer, port } of opening) {
        const { protocol, dest: localDest, login, idleSeconds, endsInSeconds } = offer;
        const expires = endsInSeconds === undefined ? undefined : clock.now() + endsInSeconds * 1000;
        const draft = { accountId, deviceSeq, run, protocol, localDest, port: port?.port, idleSeconds, expires };
        const loginProof = login === undefined ? '' : (options.loginProof?.(login) ?? '');
        const { name, fresh } = await openTunnel(tx, { ...draft, login: login !== undefined, loginProof }, clock.now());
        if (fresh) await audit.record(tx, callerOf(agent, accountId), 'tunnel.open', name);
        opened.push({ name, offer, port });
      }
      await pruneTunnels(tx, deviceSeq, portShare);
      // In commit order, so that a later deletion finds them.
      tx.afterCommit(() => {
        if (link.of(deviceSeq) !== agent) return;
        for (const { name, offer, port } of opened) {
          // By the monotonic clock; the time in the database is only for display.
          const expires = clock.steady() + (offer.endsInSeconds ?? Number.POSITIVE_INFINITY) * 1000;
          const { id } = offer;
          const tunnel = new LiveTunnel({ name, agent, offer, id, expires, dial: () => carriers.dial(agent, id) });
          add(tunnel);
          port?.serve(tunnel);
          results.push({
            id: offer.id,
            address: addressOf({ name, protocol: offer.protocol, port: port?.port ?? null }),
          });
        }
        agent.send({ type: 'opened', tunnels: results });
      });
      return opened;
    });
    if (up === undefined || link.of(deviceSeq) !== agent) for (const { port } of opening) port?.close();
  };

  /** Connects a requested tunnel through its agent, if that allows the destination and is still the device's only one. */
  const connect = async (agent: AgentConnection, requested: RequestedTunnel) => {
    const { name, protocol, localDest, loginHash, idleSeconds } = requested;
    const allowance = parseAllowance(agent.allowsTunnels);
    const destination = parseDestination(localDest);
    // The agent checks it again, for each connection.
    if (!allowance || !destination || !allows(allowance, destination)) return;
    const leftMs = requested.expires - clock.now();
    if (leftMs <= 0) return;
    const port = protocol === 'TCP' ? await ports.listen(requested.port ?? undefined) : undefined;
    if (protocol === 'TCP' && !port) return;
    const isConnected = await db
      .write(async (tx) => {
        if (link.of(agent.deviceSeq) !== agent || !(await isLatest(tx, agent))) return false;
        const proof = loginHash === '' ? '' : (options.loginProof?.(loginHash) ?? '');
        if (!(await connectRequested(tx, { name, port: port?.port, loginProof: proof }, clock.now()))) return false;
        // In commit order, so that a later deletion finds it.
        tx.afterCommit(() => {
          if (link.of(agent.deviceSeq) !== agent) return port?.close();
          const tunnel = new LiveTunnel({
            name,
            agent,
            id: undefined,
            offer: {
              protocol,
              ...(loginHash !== '' && { login: loginHash }),
              ...(idleSeconds !== null && { idleSeconds }),
            },
            expires: clock.steady() + leftMs,
            dial: () => carriers.dial(agent, localDest),
          });
          add(tunnel);
          port?.serve(tunnel);
        });
        return true;
      })
      .catch((cause: unknown) => {
        port?.close();
        throw cause;
      });
    if (!isConnected) port?.close();
  };

  /** Devices that may have requested tunnels to connect. After a failure they stay here, for the next sweep. */
  const unconnected = new Set<number>();
  const connecting = singleFlight('tunnels: could not connect what people opened', async () => {
    const deviceSeqs = [...unconnected];
    const found = await requestedTunnels(db, deviceSeqs);
    for (const seq of deviceSeqs) unconnected.delete(seq);
    for (const [at, requested] of found.entries()) {
      const agent = link.of(requested.deviceSeq);
      if (!agent || live.get(requested.name)?.agent === agent) continue;
      await connect(agent, requested).catch((cause: unknown) => {
        for (const { deviceSeq } of found.slice(at)) unconnected.add(deviceSeq);
        throw cause;
      });
    }
  });
  /** Only through agents that allow anything, and have begun their session by offering their own tunnels. */
  const connectLater = (deviceSeqs: readonly number[]) => {
    const ready = deviceSeqs.filter((seq) => {
      const agent = link.of(seq);
      return agent && agent.allowsTunnels !== '' && agent.allowsTunnels !== ALLOWS_NONE && offering.has(agent);
    });
    for (const seq of ready) unconnected.add(seq);
    // A run that was under way has already read its devices.
    if (ready.length > 0) void connecting.run().then(() => (unconnected.size > 0 ? connecting.run() : undefined));
  };

  const failed = (what: string) => (cause: unknown) => logFault(`tunnels: could not ${what}`, cause);
  link.listenForTunnels({
    offered: (agent, offers) => {
      // An agent may offer only once per connection, so that it cannot keep opening ports.
      if (offering.has(agent)) return;
      offering.add(agent);
      open(agent, { ...offers, offers: distinct(offers.offers) })
        .catch(failed('open what an agent offered'))
        .finally(() => connectLater([agent.deviceSeq]));
    },
    closed: (agent) => {
      for (const tunnel of tunnelsOf(agent.deviceSeq)) if (tunnel.agent === agent) remove(tunnel);
      carriers.cut(agent);
      db.write(async (tx) => {
        if (link.of(agent.deviceSeq) === undefined && (await isLatest(tx, agent)))
          await markTunnelsDown(tx, agent.deviceSeq);
      }).catch(failed('note that a device is away'));
    },
  });

  /** Cuts the tunnels of a device that were deleted. */
  const closeDeleted = async (deviceSeq: number) => {
    const present = tunnelsOf(deviceSeq);
    const stored = new Set((await tunnelsOfDevice(db, deviceSeq)).known.map(({ name }) => name));
    for (const tunnel of present)
      if (live.get(tunnel.name) === tunnel && !stored.has(tunnel.name)) remove(tunnel, 'it was deleted');
  };
  options.cluster.onSyncAgents((deviceSeqs) => {
    for (const seq of deviceSeqs) if (byDevice.has(seq)) closeDeleted(seq).catch(failed('look for deleted tunnels'));
    connectLater(deviceSeqs);
  });

  const end = (tunnel: LiveTunnel, reason: string) => {
    remove(tunnel, reason);
    db.write(async (tx: Tx) => {
      const accountId = await accountOfDevice(tx, tunnel.agent.deviceSeq);
      if (accountId !== undefined && (await closeTunnel(tx, tunnel.name)))
        await audit.record(tx, callerOf(tunnel.agent, accountId), 'tunnel.end', tunnel.name);
    }).catch(failed('note that a tunnel ended'));
  };
  /** The traffic of each tunnel as last written to the database. */
  const noted = new WeakMap<LiveTunnel, string>();
  const noteAll = async (tx: Tx) => {
    for (const tunnel of live.values()) {
      const { name, connections, bytesIn, bytesOut } = tunnel;
      const traffic = `${connections} ${bytesIn} ${bytesOut}`;
      if ((noted.get(tunnel) ?? '0 0 0') === traffic) continue;
      await noteTraffic(tx, name, { connections, bytesIn, bytesOut });
      tx.afterCommit(() => noted.set(tunnel, traffic));
    }
  };
  const noteEvery = setInterval(() => {
    if (options.isShared && live.size > 0) db.write(noteAll).catch(failed('note the traffic'));
  }, NOTE_EVERY_MS).unref();

  const sweep = setInterval(() => {
    if (unconnected.size > 0) void connecting.run();
    for (const tunnel of live.values()) {
      if (tunnel.expires <= clock.steady()) end(tunnel, 'its time is over');
      else if (tunnel.isIdle()) end(tunnel, 'nobody used it');
    }
  }, options.sweepEveryMs ?? SWEEP_EVERY_MS).unref();

  return {
    upgrade: (...request) => carriers.upgrade(...request),
    find: (name) => live.get(name),
    freePort: async () => {
      const port = await ports.listen(undefined);
      port?.close();
      return port?.port;
    },
    portShare,
    close: async () => {
      clearInterval(sweep);
      clearInterval(noteEvery);
      await connecting.settled();
      for (const tunnel of live.values()) remove(tunnel);
      carriers.close();
      await ports.close();
    },
  };
}

/** Offers without repeated destinations and numbers. */
const distinct = (offers: Offer[]): Offer[] =>
  offers.filter(
    ({ id, protocol, dest }, at) =>
      at === offers.findIndex((one) => one.id === id || (one.protocol === protocol && one.dest === dest)),
  );

const callerOf = (agent: AgentConnection, id: number) => ({
  account: { id, email: '' },
  actor: `device:${agent.deviceId}`,
  address: '',
});
