// Opens the port of an application: plain or with TLS, with limits, and with a readable error if it is not available.
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { getRequestListener } from '@hono/node-server';
import { AGENT_HTTP_PATH } from '#/contract/agent-http.ts';
import { ConfigError } from '../config-error.ts';
import type { Config } from '../config.ts';
import { answerHalfOpen } from './half-open.ts';
import { watchForPauses } from './pauses.ts';
import { openProxyNotice } from './proxy-notice.ts';
import { openTurnstile } from './turnstile.ts';
import { refuseUnclear } from './unclear-request.ts';
import type { App } from './implement.ts';
import { ANSWER_TIMEOUT_MS, FINISH_TIMEOUT_MS } from './traffic.ts';

/**
 * The host in the URL of an HTTP/1.0 request, which need not name one, such as the health check of a load balancer; no
 * handler reads it. HTTP/1.1 without Host is a 400 (RFC 9112, section 3.2), which Node answers itself.
 */
const UNNAMED = 'localhost';

interface OpenServer {
  /** For upgrades, which are not requests. */
  server: Server;
  port: number;
  /** The address that clients use. */
  publicUrl: string;
  /** Lets running requests finish, within limits. */
  stop(): Promise<void>;
}

/** Resolves when it listens. `takes` handles requests outside the application, and is asked first. */
export async function openServer(
  config: Config,
  app: App,
  takes: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean = () => false,
): Promise<OpenServer> {
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: true, hostname: UNNAMED });
  const isTls = (config.publicUrl ?? '').startsWith('https:') || config.tls !== undefined;
  const noticeProxy = openProxyNotice(config);
  const joining = openTurnstile(JOINING_AT_ONCE);
  const server = makeServer(config, (incoming, outgoing) => {
    noticeProxy(incoming);
    if (refuseUnclear(incoming, outgoing, isTls)) return;
    const answer = () => void (takes(incoming, outgoing) || listener(incoming, outgoing));
    if (isJoining(incoming)) joining.pass(incoming, outgoing, answer);
    else answer();
  });
  answerHalfOpen(server);
  watchForPauses();
  await listen(server, config.host, config.port, 'PORT');
  const { port } = server.address() as AddressInfo;
  return { server, port, publicUrl: publicUrlOf(config, port), stop: () => stop(server) };
}

/** A device asks for its key, or begins a session with its facts: a fleet that is switched on does so at the same moment. */
const JOINING = new Set(['/v1/enrol', '/v1/pair/begin', `${AGENT_HTTP_PATH}/hello`]);
const JOINING_AT_ONCE = 4;
const isJoining = ({ url = '' }: IncomingMessage): boolean => JOINING.has(url.split('?', 1)[0] ?? '');

/** A port for machines (METRICS_PORT), always without TLS. */
export async function openSidePort(
  host: string,
  port: number,
  variable: string,
  app: App,
): Promise<OpenServer['stop']> {
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false, hostname: UNNAMED });
  const server = createServer(LIMITS, (incoming, outgoing) => void listener(incoming, outgoing));
  answerHalfOpen(server);
  await listen(server, host, port, variable);
  return () => stop(server);
}

const LIMITS = { headersTimeout: 20_000, requestTimeout: 300_000, keepAliveTimeout: 65_000 };

function makeServer({ tls }: Config, listener: RequestListener): Server {
  if (!tls) return createServer(LIMITS, listener);
  try {
    return createTlsServer({ ...tls, ...LIMITS, allowHalfOpen: true }, listener);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`TLS_CERT and TLS_KEY do not hold a certificate and its key in PEM form: ${why}.`);
  }
}

/**
 * Connections that wait until they are accepted: after a restart thousands of agents arrive within a second. The system
 * may allow fewer (net.core.somaxconn).
 */
export const BACKLOG = 4_096;

/** Of each server that listens. */
const connections = new WeakMap<Server, Set<Socket>>();

/** The error names the variable that sets the port. */
export function listen(server: Server, host: string, port: number, variable: string): Promise<void> {
  const open = new Set<Socket>();
  connections.set(server, open);
  for (const event of ['connection', 'secureConnection'])
    server.on(event, (socket: Socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const texts = new Map(
        Object.entries<string>({
          EADDRINUSE: `Port ${port} on ${host} is in use: stop the program that has it, or choose another with ${variable}.`,
          EACCES: `Port ${port} is reserved for the system: choose one above 1023 with ${variable}.`,
          EADDRNOTAVAIL: `HOST is "${host}", which is not an address of this machine.`,
          ENOTFOUND: `HOST is "${host}", which is not a name this machine knows.`,
        }),
      );
      const text = texts.get(cause.code ?? '');
      reject(text === undefined ? cause : new ConfigError(text));
    });
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
}

/** Without PUBLIC_URL: the listening address; if that means "all addresses", this machine's first one. */
export function publicUrlOf({ publicUrl, host, tls }: Config, port: number): string {
  if (publicUrl !== undefined) return publicUrl;
  const everywhere = host === '0.0.0.0' || host === '::';
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  const name = everywhere ? (outside ?? '127.0.0.1') : host.includes(':') ? `[${host}]` : host;
  return new URL(`${tls ? 'https' : 'http'}://${name}:${port}`).origin;
}

const CHECK_EVERY_MS = 50;
/** Later than the answers to everything that did not finish (traffic.ts). */
const CUT_AFTER_MS = FINISH_TIMEOUT_MS + ANSWER_TIMEOUT_MS + 500;

/** Lets running requests finish, within limits. */
export function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const forceTimer = setTimeout(() => server.closeAllConnections(), CUT_AFTER_MS);
    const closeUnused = () => {
      // A keep-alive connection becomes idle after its answer, and would remain for a minute.
      server.closeIdleConnections();
      // Browsers open connections in advance, which Node counts as active until their first request.
      for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
    };
    const unused = setInterval(closeUnused, CHECK_EVERY_MS);
    server.close(() => {
      clearTimeout(forceTimer);
      clearInterval(unused);
      resolve();
    });
    closeUnused();
  });
}
