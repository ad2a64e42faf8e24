// The bus for many nodes: NATS core. It delivers each message at most once, and stores none.
// https://docs.nats.io/nats-concepts/core-nats
import { connect as connectTcp } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import type { NatsConnection, TlsOptions } from '@nats-io/transport-node';
import { logThrottled } from '../operation/log.ts';
import type { Bus, BusOptions } from './bus.ts';
import { DEFAULT_PACE, keepConnected } from './bus-connection.ts';
import type { Connection } from './bus-connection.ts';
import { deliver, EVERYTHING, MAX_PAYLOAD, payloadsOf } from './bus-payload.ts';
import { credentialsOf } from './bus-url.ts';

const DEFAULT_PORT = 4222;

export interface NatsBusOptions extends BusOptions {
  url: URL;
  /** Of the subjects; nodes that share a database share it. */
  prefix: string;
}

interface NatsLink extends Connection {
  publish(node: string, payload: string): void;
}

/** Subscribes before it resolves, or as soon as the server can be reached. */
export async function openNatsBus({ url, prefix, pace = DEFAULT_PACE, ...options }: NatsBusOptions): Promise<Bus> {
  const { connect: connectNats } = await import('@nats-io/transport-node');
  const server = { host: url.hostname.replaceAll(/[[\]]/g, ''), port: Number(url.port || DEFAULT_PORT) };
  /** Nodes whose messages the server may not have: those sent to since the last check began, and before it. */
  let sentTo = new Set<string>();
  let inDoubt = new Set<string>();

  const connect = async (signal: AbortSignal): Promise<NatsLink> => {
    await requireAnswer(server, pace.connectMs, signal);
    const nats = await connectNats({
      servers: `${url.hostname}:${server.port}`,
      ...credentialsOf(url),
      ...(url.protocol === 'tls:' && { tls: tlsOptions(server.host) }),
      name: `muster ${options.node}`,
      timeout: pace.connectMs,
      // Done by `keepConnected`, which knows what may have been missed.
      reconnect: false,
    });
    const destroy = () => void nats.close();
    const gaveUp = setTimeout(destroy, pace.connectMs);
    try {
      const most = nats.info?.max_payload ?? 0;
      if (most < MAX_PAYLOAD) throw new Error(`its max_payload is ${most}: at least ${MAX_PAYLOAD} are needed`);
      await subscribe(nats, `${prefix}.${options.node}`, (payload) => deliver(payload, options));
    } catch (cause) {
      destroy();
      throw cause;
    } finally {
      clearTimeout(gaveUp);
    }
    return {
      ended: nats.closed(),
      destroy,
      end: () => nats.flush(),
      check: async () => {
        inDoubt = new Set([...inDoubt, ...sentTo]);
        sentTo = new Set();
        await nats.flush();
        inDoubt = new Set();
      },
      publish: (node, payload) => {
        sentTo.add(node);
        // Another connection follows, and then a message that this node may have missed some.
        if (!nats.isClosed()) nats.publish(`${prefix}.${node}`, payload);
      },
    };
  };
  const connection = await keepConnected<NatsLink>({
    server: `NATS at ${url.protocol}//${url.host}`,
    checkMs: pace.checkMs,
    connect,
    reconnected: (link) => {
      for (const node of new Set([...inDoubt, ...sentTo])) link.publish(node, EVERYTHING);
      options.missed();
    },
  });
  return {
    send: async (tx, node, deviceSeqs) => {
      const payloads = payloadsOf(deviceSeqs);
      if (payloads.length === 0) return;
      tx.afterCommit(() => {
        const link = connection.current();
        if (!link) sentTo.add(node);
        for (const payload of payloads) link?.publish(node, payload);
      });
    },
    isConnected: () => connection.current() !== undefined,
    close: () => connection.close(),
  };
}

/** The library compares the certificate of an address without a name with "localhost". */
function tlsOptions(host: string): TlsOptions & Pick<ConnectionOptions, 'checkServerIdentity'> {
  return { checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate) };
}

/** The library forgets sockets on which a server says nothing: such a server is found here. */
async function requireAnswer(server: { host: string; port: number }, patienceMs: number, signal: AbortSignal) {
  const patience = AbortSignal.timeout(patienceMs);
  const socket = connectTcp({ ...server, signal: AbortSignal.any([signal, patience]) });
  try {
    for await (const _ of socket) return;
  } catch (cause) {
    throw patience.aborted ? new Error('it does not answer', { cause }) : cause;
  }
  throw new Error('it ends connections at once');
}

/** Resolves when the server has the subscription; a connection whose user may not have it is of no use. */
async function subscribe(nats: NatsConnection, subject: string, receive: (payload: string) => void): Promise<void> {
  // A refusal may come in one piece with the answer to the flush, in front of it.
  const refused = Promise.withResolvers<never>();
  nats.subscribe(subject, {
    callback: (fault, message) => {
      if (!fault) return receive(message.string());
      refused.reject(fault);
      void nats.close();
    },
  });
  void logErrors(nats);
  // The library does not end a flush whose connection is closed.
  const closed = nats.closed().then((cause) => {
    throw cause ?? new Error('it does not answer');
  });
  await Promise.race([refused.promise, nats.flush(), closed]);
}

/** Such as a user who may not publish. */
async function logErrors(nats: NatsConnection): Promise<void> {
  for await (const status of nats.status())
    if (status.type === 'error') logThrottled('nats error', 'warn', `NATS refuses: ${status.error.message}`);
}
