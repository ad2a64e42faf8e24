// One carrier: opens a second connection to the service, serves HTTP/2 on it, and connects each stream to a destination
// on this device.
import type * as Http2 from 'node:http2';
import { createRequire } from 'node:module';
import { connect, type TcpNetConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, WebSocket } from 'ws';
import { LOST_AFTER_MS, PING_EVERY_MS, TICKET_HEADER } from '#/contract/agent-link.ts';
import {
  ASKED_PATH,
  CARRIER_SETTINGS,
  CARRIER_WINDOW,
  DESTINATION_HEADER,
  joinStreams,
  MAX_CARRIER_FRAME,
  sendAsMessages,
} from '#/contract/tunnel-carrier.ts';
import { faultOf, refusalOf, type ProxyTunnel } from './outgoing.ts';

type Way = Pick<TcpNetConnectOpts, 'host' | 'port' | 'lookup' | 'autoSelectFamily'>;

export interface TunnelCarrierOptions {
  /** Where the service takes carriers. */
  url: URL;
  proxy?: ProxyTunnel | undefined;
  key: string;
  ticket: string;
  /** The destination of the tunnel with this number; undefined if the tunnel is not open. */
  destination: (id: number) => { host: string; port: number } | undefined;
  /** The way to a destination that the service asks for; undefined if this device does not allow it. */
  wayTo: (asked: string) => Promise<Way | undefined>;
  /** Called with the reason if there was no connection. */
  failed: (why: string) => void;
  ended: () => void;
}

const CONNECT_TIMEOUT_MS = 10_000;

// Loaded by the first carrier: an import would load it into the supervisor of each job too, which is the same program.
const load = createRequire(import.meta.url);
const http2 = () => load('node:http2') as typeof Http2;

export class TunnelCarrier {
  readonly #socket: WebSocket;
  readonly #options: TunnelCarrierOptions;
  #session: Http2.ServerHttp2Session | undefined;

  constructor(options: TunnelCarrierOptions) {
    this.#options = options;
    const { url, proxy } = options;
    this.#socket = new WebSocket(url, {
      ...(proxy && { agent: proxy.agent }),
      headers: { Authorization: `Bearer ${options.key}`, [TICKET_HEADER]: options.ticket },
      perMessageDeflate: false,
      handshakeTimeout: 15_000,
      maxPayload: MAX_CARRIER_FRAME,
      // A mask of zeros costs nothing. Masks protect against web pages that control what a browser sends (RFC 6455,
      // section 10.3), and this client is not a browser.
      generateMask: (mask) => void mask.fill(0),
    });
    let fault: string | undefined;
    this.#socket.on('unexpected-response', (request, response) => {
      fault = proxy?.refusal ?? refusalOf(response);
      request.destroy();
      this.#socket.terminate();
    });
    this.#socket.on('error', (error) => (fault ??= faultOf(error)));
    let line: Duplex | undefined;
    this.#socket.on('upgrade', (response) => (line = response.socket));
    let wasOpen = false;
    this.#socket.on('open', () => {
      wasOpen = true;
      this.#serve(line);
    });
    this.#socket.on('close', () => {
      this.end();
      proxy?.end();
      if (!wasOpen && fault !== undefined) options.failed(fault);
      options.ended();
    });
  }

  end(): void {
    // Always with an error, or truncated data would look complete.
    if (this.#session && !this.#session.destroyed)
      this.#session.destroy(new Error('The tunnel was cut'), http2().constants.NGHTTP2_INTERNAL_ERROR);
    this.#socket.terminate();
  }

  #serve(line: Duplex | undefined): void {
    const socket = this.#socket;
    let lastHeard = performance.now();
    const alive = () => (lastHeard = performance.now());
    socket.on('pong', alive).on('message', alive);
    const pinging = setInterval(() => {
      if (socket.isPaused) alive();
      if (performance.now() - lastHeard > LOST_AFTER_MS) this.end();
      else socket.ping();
    }, PING_EVERY_MS);
    socket.on('close', () => clearInterval(pinging));

    const duplex = createWebSocketStream(socket);
    duplex.on('error', () => {});
    sendAsMessages<Buffer>(duplex, socket, line, (some) => Buffer.concat(some));
    const server: Http2.Http2Server = http2().createServer({
      ...CARRIER_SETTINGS,
      // High limits, because visitors often leave early.
      streamResetBurst: 1_000_000,
      streamResetRate: 1_000_000,
    });
    server.on('sessionError', () => this.end());
    server.on('session', (session) => {
      this.#session = session;
      session.setLocalWindowSize(CARRIER_WINDOW);
      session.on('close', () => this.end());
    });
    server.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      void this.#find(headers).then((way) => this.#connect(stream, way));
    });
    server.emit('connection', duplex);
  }

  /** Where a stream leads: to one of this device's own tunnels, or to a destination that the service asks for. */
  async #find(headers: Http2.IncomingHttpHeaders): Promise<Way | undefined> {
    const path = String(headers[':path']);
    if (path !== ASKED_PATH)
      return /^\/\d{1,4}$/.test(path) ? this.#options.destination(Number(path.slice(1))) : undefined;
    const asked = headers[DESTINATION_HEADER];
    // A name that does not resolve is as good as one that is not allowed: nothing is connected.
    return typeof asked === 'string' ? this.#options.wayTo(asked).catch(() => undefined) : undefined;
  }

  #connect(stream: Http2.ServerHttp2Stream, way: Way | undefined): void {
    if (stream.destroyed) return;
    if (!way) return stream.respond({ ':status': 403, reason: 'closed' }, { endStream: true });
    const { host, port, lookup, autoSelectFamily } = way;
    const local = connect({
      port,
      ...(host !== undefined && { host }),
      ...(lookup && { lookup }),
      ...(autoSelectFamily !== undefined && { autoSelectFamily }),
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
    });
    const refuse = (reason: string) => {
      local.destroy();
      if (!stream.destroyed && !stream.headersSent) stream.respond({ ':status': 502, reason }, { endStream: true });
    };
    const timeout = setTimeout(() => refuse('ETIMEDOUT'), CONNECT_TIMEOUT_MS);
    const failed = (cause: NodeJS.ErrnoException) => {
      clearTimeout(timeout);
      refuse(cause.code ?? 'error');
    };
    const left = () => {
      clearTimeout(timeout);
      local.destroy();
    };
    local.once('error', failed);
    stream.once('close', left);
    local.once('connect', () => {
      clearTimeout(timeout);
      local.off('error', failed);
      stream.off('close', left);
      stream.respond({ ':status': 200 });
      joinStreams(stream, local);
    });
  }
}
