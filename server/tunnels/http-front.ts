// The HTTP server for tunnels. It is a separate server, whose hosts serve nothing but tunnels.
import { createServer, request as ask, STATUS_CODES } from 'node:http';
import type { ClientRequest, IncomingMessage, RequestOptions, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { joinStreams } from '#/contract/tunnel-carrier.ts';
import { endSocket } from '../http/end-socket.ts';
import { answerHalfOpen, endWithClient } from '../http/half-open.ts';
import { Unreachable } from './carriers.ts';
import { basicLogin, headersForDevice, headersForVisitor, secretsOf, targetOf, type Target } from './http-head.ts';
import { plainPage } from './plain-page.ts';
import type { PageName, PlainPage } from './plain-page.ts';
import type { VisitedTunnel } from './visited-tunnel.ts';
import type { AnswerReader, SentRequest } from './device-clients.ts';
import { connectBy, MAX_HEAD_BYTES } from './pooled-dials.ts';
import type { Verdict, VisitorLogins } from './visitor-logins.ts';

export interface HttpFrontOptions {
  domain: string;
  scheme: string;
  find: (name: string) => VisitedTunnel | undefined;
  /** Looks up a tunnel of this name that is connected to another node. */
  findElsewhere?: (name: string) => Promise<VisitedTunnel | undefined>;
  /** Whether a tunnel of this name exists, connected or not. */
  exists: (name: string) => Promise<boolean>;
  addressOf: (incoming: IncomingMessage) => string;
  ownCookies: readonly string[];
  /** Whether a text is one of this service's tokens or keys. */
  isOurs: (secret: string) => Promise<boolean>;
  /** The length of AUTH_TOKEN, which has no recognizable format. */
  tokenLength?: number | undefined;
  logins: VisitorLogins;
  /** The time limit for the head of a request. */
  headWithinMs?: number;
}

const MAX_SECRETS = 64;
const NO_SECRETS: ReadonlySet<string> = new Set();
/** A chunk of a response up to this size is sent together with the head. */
const SMALL_BYTES = 4 * 1024;
const SAFE_TO_REPEAT = new Set(['GET', 'HEAD', 'OPTIONS']);

interface Asked {
  tunnel: VisitedTunnel;
  target: Target;
}
/** The tunnel of a request, or a page that answers it instead. */
type Admission = (Asked & { ownSecrets: ReadonlySet<string>; cookie?: string | undefined }) | { page: PlainPage };

export function createHttpFront(options: HttpFrontOptions): Server {
  const { domain, scheme } = options;

  /** Returns a promise only if something has to be looked up, or if the visitor's login has to wait to be checked. */
  const admit = (incoming: IncomingMessage): Admission | Promise<Admission> => {
    const target = targetOf(incoming, domain);
    if (!target) return { page: plainPage('bad-request') };
    const tunnel = options.find(target.name);
    return tunnel?.protocol === 'HTTP' ? admitTo({ tunnel, target }, incoming) : admitElsewhere(target, incoming);
  };

  const admitElsewhere = async (target: Target, incoming: IncomingMessage): Promise<Admission> => {
    const tunnel = await options.findElsewhere?.(target.name);
    if (tunnel?.protocol === 'HTTP') return admitTo({ tunnel, target }, incoming);
    return { page: plainPage((await options.exists(target.name)) ? 'device-away' : 'no-tunnel') };
  };

  const admitTo = (asked: Asked, incoming: IncomingMessage): Admission | Promise<Admission> => {
    const secrets = secretsOf(incoming.rawHeaders, options.tokenLength);
    // Each has to be looked up, and no honest request has this many.
    if (secrets.size > MAX_SECRETS) return { page: plainPage('bad-request') };
    return secrets.size === 0
      ? enter(incoming, asked, NO_SECRETS)
      : ownOf(secrets, asked.tunnel).then((own) => enter(incoming, asked, own));
  };

  const ownOf = async (secrets: ReadonlySet<string>, tunnel: VisitedTunnel): Promise<ReadonlySet<string>> => {
    const own = new Set<string>();
    for (const secret of secrets) if (tunnel.admits(secret) || (await options.isOurs(secret))) own.add(secret);
    return own;
  };

  const enter = (
    incoming: IncomingMessage,
    asked: Asked,
    ownSecrets: ReadonlySet<string>,
  ): Admission | Promise<Admission> => {
    const { tunnel } = asked;
    if (!tunnel.needsLogin) return { ...asked, ownSecrets };
    const login = basicLogin(incoming.headers.authorization ?? '');
    if (login === undefined) return { page: plainPage('login') };
    const visit = { tunnel, login, cookies: incoming.headers.cookie ?? '' };
    const settle = (verdict: Verdict): Admission => {
      if (verdict !== 'right') return { page: plainPage(verdict === 'wrong' ? 'login' : 'too-many-logins') };
      if (tunnel.isEnded) return { page: plainPage('device-away') };
      return { ...asked, ownSecrets, cookie: options.logins.cookieFor(visit) };
    };
    const verdict = options.logins.check({ ...visit, address: options.addressOf(incoming) });
    return typeof verdict === 'string' ? settle(verdict) : verdict.then(settle);
  };

  /** Connections with a response in progress. */
  const busy = new WeakSet<Duplex>();

  const headersFor = (incoming: IncomingMessage, { host }: Target, ownSecrets: ReadonlySet<string>) =>
    headersForDevice(incoming.rawHeaders, {
      address: options.addressOf(incoming),
      host,
      scheme,
      ownCookies: options.ownCookies,
      ownSecrets,
      tokenLength: options.tokenLength,
    });

  const pass = (incoming: IncomingMessage, outgoing: ServerResponse, admitted: Admission) => {
    if ('page' in admitted) return answer(incoming, outgoing, admitted.page);
    const { tunnel, target, ownSecrets, cookie } = admitted;
    const { method = 'GET', socket } = incoming;
    const { path } = target;
    const hasBody = incoming.headers['content-length'] !== undefined || 'transfer-encoding' in incoming.headers;
    const headers = headersFor(incoming, target, ownSecrets);
    tunnel.enter(socket);

    busy.add(socket);
    let isGiven = false;
    const give = (page: PageName) => {
      isGiven = true;
      answer(incoming, outgoing, plainPage(page));
    };

    const begin = (status: number, text: string, rawHeaders: string[]) => {
      outgoing.sendDate = false;
      const passed = headersForVisitor(rawHeaders, target.host);
      if (cookie !== undefined) passed.push('Set-Cookie', cookie);
      outgoing.writeHead(status, text, passed);
      if (isEventStream(rawHeaders)) endWithClient(incoming, outgoing);
    };
    const failed = (cause: Error) => {
      if (isGiven) return;
      if (outgoing.destroyed || outgoing.headersSent) outgoing.destroy();
      else give(reasonOf(cause));
    };
    const whenLeft = (abort: () => void) =>
      outgoing.on('close', () => {
        busy.delete(socket);
        tunnel.leave(socket);
        if (!outgoing.writableFinished) abort();
      });

    if (SAFE_TO_REPEAT.has(method) && !hasBody) {
      // The head waits for data that arrives together with it, so that a short response is one write.
      let isHeld = false;
      let held: Buffer | undefined;
      const release = () => {
        if (!isHeld) return;
        isHeld = false;
        // Without data the head is not delayed any further: an event stream may be silent for long.
        if (held) outgoing.write(held);
        else outgoing.flushHeaders();
      };
      let sent: SentRequest | undefined;
      const send = (again: boolean): SentRequest => {
        const reader: AnswerReader = {
          head: (status, text, rawHeaders) => {
            if (!isWritable(status, text)) throw new Error('The answer is not HTTP');
            begin(status, asciiStatusText(text, status), rawHeaders);
            isHeld = true;
            process.nextTick(release);
          },
          piece: (bytes) => {
            tunnel.carriedOut(bytes.length);
            if (isHeld && !held && bytes.length <= SMALL_BYTES) {
              held = bytes;
              return true;
            }
            release();
            const isReady = outgoing.write(bytes);
            if (!isReady) outgoing.once('drain', () => sent?.resume());
            return isReady;
          },
          end: () => {
            // A string is sent by Node in one write with the head.
            if (isHeld && held) outgoing.end(held.toString('latin1'), 'latin1');
            else outgoing.end();
            isHeld = false;
          },
          failed: (cause, wasReused) => {
            // The device's service closed a keep-alive connection just when it was reused.
            const isRepeatable = again && wasReused && !(cause instanceof Unreachable);
            if (isRepeatable && !isGiven && !outgoing.destroyed && !outgoing.headersSent) sent = send(false);
            else failed(cause);
          },
        };
        return tunnel.clients.send({ method, path, headers }, reader);
      };
      sent = send(true);
      whenLeft(() => sent?.abort());
      return;
    }

    const sent = requestOf(path, { agent: tunnel.pool, method, headers });
    sent.on('error', failed);
    sent.on('response', (response) => {
      if (!isWritable(response.statusCode, response.statusMessage)) {
        sent.destroy();
        return give('bad-answer');
      }
      // A small response becomes one write, including its head and end. (Corking the response itself loses the body of
      // a chunked response, as seen with Node 24.21.)
      socket.cork();
      setImmediate(() => socket.uncork());
      begin(response.statusCode ?? 502, response.statusMessage ?? '', response.rawHeaders);
      // Headers are not delayed until the first byte of the body: an event stream may be silent for long.
      outgoing.flushHeaders();
      response.on('data', (piece: Buffer) => tunnel.carriedOut(piece.length));
      response.on('aborted', () => outgoing.destroy());
      response.on('error', () => outgoing.destroy());
      response.pipe(outgoing);
    });
    // An upgrade that was not requested; without a listener, nothing would end the request.
    sent.on('upgrade', (_response, stream) => {
      stream.destroy();
      give('bad-answer');
    });
    const gone = () => sent.destroy(new Error('The visitor went away'));
    if (hasBody) {
      incoming.on('data', (piece: Buffer) => tunnel.carriedIn(piece.length));
      incoming.on('aborted', gone);
      incoming.pipe(sent);
    } else sent.end();
    whenLeft(gone);
  };

  const upgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer, admitted: Admission) => {
    if ('page' in admitted) return refuse(socket, admitted.page);
    // A body could be mistaken for data after the upgrade.
    if ('content-length' in incoming.headers || 'transfer-encoding' in incoming.headers)
      return refuse(socket, plainPage('bad-request'));
    const { tunnel, target, ownSecrets } = admitted;
    tunnel.enter(socket);
    socket.once('close', () => tunnel.leave(socket));
    const headers = [...headersFor(incoming, target, ownSecrets), 'Connection', 'Upgrade', 'Upgrade', 'websocket'];
    const through = requestOf(target.path, { createConnection: connectBy(tunnel.dial), method: 'GET', headers });
    let isAnswered = false;
    const gone = () => through.destroy(new Error('The visitor went away'));
    socket.once('close', gone);
    through.on('error', (cause) => {
      if (isAnswered) socket.destroy();
      else refuse(socket, plainPage(reasonOf(cause)));
    });
    through.on('upgrade', (response, stream, first) => {
      isAnswered = true;
      socket.off('close', gone);
      socket.write(headOf(response, target, ['Connection', 'Upgrade', 'Upgrade', 'websocket']), 'latin1');
      if (first.length > 0) stream.unshift(first);
      if (head.length > 0) socket.unshift(head);
      stream.on('data', (piece: Buffer) => tunnel.carriedOut(piece.length));
      socket.on('data', (piece: Buffer) => tunnel.carriedIn(piece.length));
      joinStreams(stream as Duplex & { pipe(other: Duplex): unknown }, socket);
    });
    // The device's service declines the upgrade. Its response is the last data on this connection, because later data
    // could be mistaken for a request.
    through.on('response', (response) => {
      isAnswered = true;
      if (!isWritable(response.statusCode, response.statusMessage)) {
        through.destroy();
        return refuse(socket, plainPage('bad-answer'));
      }
      socket.write(headOf(response, target, ['Connection', 'close']), 'latin1');
      response.on('data', (piece: Buffer) => tunnel.carriedOut(piece.length));
      response.on('aborted', () => socket.destroy());
      response.on('end', () => endSocket(socket));
      response.pipe(socket, { end: false });
    });
    through.end();
  };

  const { headWithinMs = 20_000 } = options;
  const server = createServer({
    headersTimeout: headWithinMs,
    connectionsCheckingInterval: headWithinMs / 4,
    // A large body may take long.
    requestTimeout: 0,
    keepAliveTimeout: 65_000,
    // Other protocols could not be inspected, so such requests are handled as if no upgrade had been requested.
    shouldUpgradeCallback: (incoming) =>
      incoming.method === 'GET' && /^websocket$/i.test(incoming.headers.upgrade ?? ''),
  } as Parameters<typeof createServer>[0]);
  answerHalfOpen(server);
  // Headers are limited by size, not by number: headers beyond a number would be dropped without being checked.
  server.maxHeadersCount = 0;
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const admitted = admit(incoming);
    if (!(admitted instanceof Promise)) return pass(incoming, outgoing, admitted);
    void admitted.then(
      (later) => outgoing.destroyed || pass(incoming, outgoing, later),
      () => answer(incoming, outgoing, plainPage('unavailable')),
    );
  });
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {});
    const admitted = admit(incoming);
    if (!(admitted instanceof Promise)) return upgrade(incoming, socket, head, admitted);
    void admitted.then(
      (later) => socket.destroyed || upgrade(incoming, socket, head, later),
      () => refuse(socket, plainPage('unavailable')),
    );
  });
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    // In the middle of a response, a page would be mistaken for part of that response.
    if (busy.has(socket) || !socket.writable) socket.destroy();
    else refuse(socket, plainPage(CLIENT_ERRORS.get(code ?? '') ?? 'bad-request'));
  });
  return server;
}

const CLIENT_ERRORS = new Map(
  Object.entries<PageName>({
    HPE_HEADER_OVERFLOW: 'too-large-head',
    ERR_HTTP_REQUEST_TIMEOUT: 'too-slow',
  }),
);

/** Whether Node can write this status and its text: it also reads others, but throws when it writes them. */
const isWritable = (status = 0, text = '') => status >= 200 && /^[\t\x20-\x7e\x80-\uffff]*$/.test(text);

/** Such an answer may be silent for ever, so that nobody would notice that its visitor has gone. */
const isEventStream = (rawHeaders: readonly string[]) =>
  rawHeaders.some(
    (name, at) =>
      at % 2 === 0 && /^content-type$/i.test(name) && /^text\/event-stream\b/i.test(rawHeaders[at + 1] ?? ''),
  );

/** The text of a status if it is ASCII. Undici decodes it as UTF-8, which garbles other encodings. */
const asciiStatusText = (text: string, status: number) =>
  /^[\t\x20-\x7e]*$/.test(text) ? text : (STATUS_CODES[status] ?? '');

/** Sends a request to the device's service. */
function requestOf(path: string, options: RequestOptions): ClientRequest {
  const sent = ask({ ...options, path, setHost: false, maxHeaderSize: MAX_HEAD_BYTES });
  sent.maxHeadersCount = 0;
  return sent;
}

function reasonOf(cause: NodeJS.ErrnoException): PageName {
  if (cause instanceof Unreachable) return cause.away === 'device' ? 'device-away' : 'service-away';
  return 'bad-answer';
}

function answer(incoming: IncomingMessage, outgoing: ServerResponse, page: PlainPage): void {
  // The rest of the body would be mistaken for the next request.
  if (!incoming.complete) outgoing.setHeader('Connection', 'close');
  outgoing.writeHead(page.status, page.headers).end(incoming.method === 'HEAD' ? undefined : page.body);
}

function refuse(socket: Duplex, page: PlainPage): void {
  const headers = Object.entries(page.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = `${page.status} ${STATUS_CODES[page.status] ?? ''}`;
  endSocket(socket, `HTTP/1.1 ${status}\r\n${headers.join('')}Connection: close\r\n\r\n${page.body}`);
}

/**
 * The head of the device's response, written by hand because Node's server no longer handles an upgraded connection.
 */
function headOf(response: IncomingMessage, { host }: Target, connection: string[]): string {
  const headers = [...headersForVisitor(response.rawHeaders, host), ...connection];
  let text = `HTTP/1.1 ${response.statusCode} ${response.statusMessage ?? ''}\r\n`;
  for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${text}\r\n`;
}
