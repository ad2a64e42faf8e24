// Keeps one WebSocket to the service open: reconnects with full jitter, detects a silent connection, and stops on the
// few responses that are final.
import type { IncomingMessage } from 'node:http';
import { WebSocket, type RawData } from 'ws';
import {
  CLOSE,
  LINK_PATH,
  LOST_AFTER_MS,
  MAX_FRAME,
  PING_EVERY_MS,
  readServiceMessage,
  type AgentMessage,
  type Hello,
  type ServiceMessage,
} from '#/contract/agent-link.ts';
import { faultOf, proxyTunnel, refusalOf, refusesKey, socketUrl, type ProxyTunnel } from './outgoing.ts';
import { retryAfterMs, spanOf } from './reconnect.ts';

/** Why the agent ends; `line` is printed for the user who started it. */
export interface Ending {
  why: 'refused' | 'replaced' | 'stopped' | 'updated';
  line: string;
}

export interface ConnectionOptions {
  /** The http or https address of the service. */
  server: string;
  /** The device's key at the moment. */
  key: () => string;
  hello: () => Omit<Hello, 'type' | 'version' | 'server' | 'localAddr' | 'localPort'>;
  received: (message: ServiceMessage) => void;
  lost: () => void;
  log: (line: string) => void;
  linkVersion: number;
}

export class Connection {
  /** Resolves when the agent must not reconnect. */
  readonly ending: Promise<Ending>;
  readonly #options: ConnectionOptions;
  #resolveEnding: (ending: Ending) => void = () => {};
  #over = false;
  #socket: WebSocket | undefined;
  #isPrivate = false;
  #retry: NodeJS.Timeout | undefined;
  #tries = 0;
  #spreadMs = 0;
  #failingSince: number | undefined;
  /** The key of the last connection that was welcomed, and the one that was refused since, which was tried once more. */
  #welcomedKey: string | undefined;
  #doubtedKey: string | undefined;
  #unreachableLogged = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.ending = new Promise((resolve) => (this.#resolveEnding = resolve));
  }

  /** Whether nobody can be in between: TLS with a verified certificate, or a service on this machine. */
  get isPrivate(): boolean {
    return this.#isPrivate;
  }

  /**
   * Sends a message. Without a connection it is dropped, because whatever matters is sent again after the next `hello`.
   */
  send(message: AgentMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  dial(): void {
    const url = socketUrl(this.#options.server, LINK_PATH);
    const tunnel = proxyTunnel(url);
    if (tunnel) void tunnel.then((proxy) => this.#connect(url, proxy));
    else this.#connect(url);
  }

  #connect(url: URL, proxy?: ProxyTunnel): void {
    if (this.#over) return;
    const { server, lost, linkVersion } = this.#options;
    const key = this.#options.key();
    const socket = new WebSocket(url, {
      headers: { Authorization: `Bearer ${key}` },
      ...(proxy && { agent: proxy.agent }),
      perMessageDeflate: false,
      handshakeTimeout: 15_000,
      maxPayload: MAX_FRAME,
    });
    this.#socket = socket;
    let fault = 'the connection was closed';
    let refusal: string | undefined;
    let pauseMs = 0;
    let lastHeard = performance.now();
    let pinging: NodeJS.Timeout | undefined;
    let local: { localAddress?: string | undefined; localPort?: number | undefined } = {};

    socket.on('upgrade', (response: IncomingMessage) => {
      local = response.socket;
      this.#isPrivate = isPrivateLink(url, response.socket, proxy !== undefined);
    });
    socket.on('unexpected-response', (request, response) => {
      // The error that follows, of ws itself, says only that there was no connection.
      refusal = proxy?.refusal ?? refusalOf(response);
      pauseMs = retryAfterMs(response.headers['retry-after']);
      request.destroy();
      if (refusesKey(response) && proxy?.refusal === undefined && !this.#mayDoubt(key))
        this.#end(
          'refused',
          `${server} refused this device key. Check the key, or make a new one on the device's page.`,
        );
      else socket.terminate();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      fault = faultOf(error) || fault;
      if (proxy) fault += ` through the proxy ${proxy.name}`;
    });
    socket.on('open', () => {
      this.send({
        type: 'hello',
        version: linkVersion,
        server,
        ...this.#options.hello(),
        localAddr: (local.localAddress ?? '').replace(/^::ffff:/, ''),
        localPort: String(local.localPort ?? ''),
      });
      pinging = setInterval(() => {
        if (performance.now() - lastHeard > LOST_AFTER_MS) {
          fault = 'the line went silent';
          socket.terminate();
        } else socket.ping();
      }, PING_EVERY_MS);
    });
    socket.on('pong', () => (lastHeard = performance.now()));
    socket.on('message', (frame: RawData, isBinary: boolean) => {
      lastHeard = performance.now();
      // Jobs that arrive while the agent is ending must not be accepted.
      if (socket !== this.#socket || isBinary || this.#over) return;
      this.#receive(socket, key, (frame as Buffer).toString());
    });
    socket.on('close', (code: number, reason: Buffer) => {
      clearInterval(pinging);
      proxy?.end();
      if (socket !== this.#socket) return;
      this.#socket = undefined;
      lost();
      if (code === CLOSE.replaced)
        this.#end('replaced', 'Another agent connected with the same device key: this one stops.');
      else if (code === CLOSE.revoked)
        this.#end(
          'refused',
          `${server} no longer accepts this device key: ${String(reason) || 'it was replaced or revoked'}.`,
        );
      else this.#redial(reason.length > 0 ? String(reason) : (refusal ?? fault), pauseMs);
    });
  }

  /** Closes the connection cleanly, so that the device is Offline immediately. */
  async stop(why: Ending['why'] = 'stopped', line = 'Stopped.'): Promise<void> {
    const socket = this.#socket;
    this.#end(why, line);
    if (!socket) return;
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(() => socket.terminate(), 1000);
      socket.on('close', () => {
        clearTimeout(timeout);
        resolve();
      });
      socket.close(1000);
    });
  }

  /** Whether to try once more with a key that was refused: the service gave it to this device only now. */
  #mayDoubt(key: string): boolean {
    if (this.#welcomedKey === undefined || key === this.#welcomedKey || key === this.#doubtedKey) return false;
    this.#doubtedKey = key;
    return true;
  }

  #receive(socket: WebSocket, key: string, frame: string): void {
    let message: ServiceMessage | undefined;
    try {
      message = readServiceMessage(frame);
    } catch {
      socket.close(CLOSE.protocol, 'The agent could not read a message of the service');
      return;
    }
    if (!message) return;
    if (message.type === 'welcome') {
      this.#welcomedKey = key;
      this.#tries = 0;
      this.#spreadMs = message.reconnectMs ?? 0;
      this.#failingSince = undefined;
      this.#unreachableLogged = false;
      this.#options.log(`Connected to ${this.#options.server} as "${message.name}".`);
    }
    this.#options.received(message);
  }

  #end(why: Ending['why'], line: string): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#retry);
    this.#resolveEnding({ why, line });
  }

  /** `pauseMs` is what the service asked for. */
  #redial(fault: string, pauseMs: number): void {
    if (this.#over) return;
    this.#failingSince ??= performance.now();
    const failingForMs = performance.now() - this.#failingSince;
    const span = spanOf({ tries: this.#tries, failingForMs, spreadMs: this.#spreadMs });
    this.#tries += 1;
    this.#retry = setTimeout(() => this.dial(), pauseMs + Math.random() * span);
    if (this.#unreachableLogged) return;
    this.#unreachableLogged = true;
    this.#options.log(`No connection to ${this.#options.server} (${fault}): trying again until there is one.`);
  }
}

/**
 * `server` is the configured address. A local port that is forwarded elsewhere, for example by ssh, counts as this
 * machine; what a proxy calls localhost does not.
 */
export function isPrivateLink(
  server: URL,
  socket: { remoteAddress?: string | undefined; authorized?: boolean },
  byProxy = false,
): boolean {
  if (/^(https|wss):$/.test(server.protocol)) return socket.authorized === true;
  if (byProxy) return false;
  const { hostname } = server;
  const isLocalName = hostname === '[::1]' || /^(127\.[\d.]+|(.+\.)?localhost)$/.test(hostname);
  return isLocalName && /^(::1|(::ffff:)?127\.[\d.]+)$/.test(socket.remoteAddress ?? '');
}
