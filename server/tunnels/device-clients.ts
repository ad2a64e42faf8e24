// Connections for requests without a body, which are nearly all requests: with undici, they take a quarter less
// processor time than with Node's own client. Each connection is a stream of a carrier and is kept alive for the next
// request.
import { Client } from 'undici';
import type { Dispatcher } from 'undici';
import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { logFault } from '../store/system-fault.ts';
import { connectBy, KEEP_MS, MAX_HEAD_BYTES } from './pooled-dials.ts';

export interface BodilessRequest {
  method: string;
  path: string;
  /** Alternating names and values. */
  headers: string[];
}

export interface AnswerReader {
  /** Throws if the response cannot be passed on. */
  head(status: number, text: string, rawHeaders: string[]): void;
  /** False if the next chunk has to wait for `resume`. */
  piece(bytes: Buffer): boolean;
  end(): void;
  /** `wasReused` means that the connection had carried another request before this one. */
  failed(cause: Error, wasReused: boolean): void;
}

export interface SentRequest {
  resume(): void;
  /** Ends the request; the reader is not called again. */
  abort(): void;
}

/** The most unused connections that are kept. */
const MAX_FREE = 64;

export class DeviceClients {
  readonly #dial: () => Promise<Duplex>;
  readonly #free: DeviceClient[] = [];
  readonly #all = new Set<DeviceClient>();

  constructor(dial: () => Promise<Duplex>) {
    this.#dial = dial;
  }

  send(request: BodilessRequest, reader: AnswerReader): SentRequest {
    // Takes the most recently used one, so that surplus connections time out.
    const client = this.#free.pop() ?? this.#open();
    client.send(request, reader);
    return client;
  }

  /** Fails all requests in progress. */
  destroy(): void {
    for (const client of this.#all) client.destroy(new Error('The tunnel was closed'));
  }

  #open(): DeviceClient {
    const client = new DeviceClient(this.#dial, {
      free: () => {
        if (this.#free.length < MAX_FREE) this.#free.push(client);
        else client.destroy();
      },
      disconnected: () => {
        const at = this.#free.indexOf(client);
        if (at < 0) return;
        this.#free.splice(at, 1);
        client.destroy();
      },
      destroyed: () => this.#all.delete(client),
    });
    this.#all.add(client);
    return client;
  }
}

interface ClientEvents {
  free(): void;
  disconnected(): void;
  destroyed(): void;
}

/** One connection, with one request at a time. */
class DeviceClient implements Dispatcher.DispatchHandler, SentRequest {
  readonly #client: Client;
  readonly #events: ClientEvents;
  #reader: AnswerReader | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #wasUsed = false;

  constructor(dial: () => Promise<Duplex>, events: ClientEvents) {
    this.#events = events;
    this.#client = new Client('http://device', {
      connect: connectBy(dial) as never,
      pipelining: 1,
      keepAliveTimeout: KEEP_MS,
      keepAliveMaxTimeout: KEEP_MS,
      maxHeaderSize: MAX_HEAD_BYTES,
      // A response may take long, and an event stream may be silent for long.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#client.on('connect', () => (this.#wasUsed = false)).on('disconnect', () => events.disconnected());
    // Exceptions of a reader that is told of a failure end up here.
    const emitter: EventEmitter = this.#client;
    emitter.on('error', (cause) => logFault('tunnels: a request to a device failed', cause));
  }

  send(request: BodilessRequest, reader: AnswerReader): void {
    this.#reader = reader;
    this.#controller = undefined;
    this.#client.dispatch(request, this);
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(): void {
    this.#reader = undefined;
    this.destroy();
  }

  destroy(cause = new Error('The connection is not needed any more')): void {
    this.#events.destroyed();
    this.#client.destroy(cause).catch(() => {});
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, _headers: unknown, text = ''): void {
    // Interim responses are of no use to the visitor.
    if (status >= 100 && status < 200) return;
    const raw = (controller.rawHeaders ?? []) as (Buffer | string)[];
    this.#reader?.head(
      status,
      text,
      raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1'))),
    );
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#reader?.piece(bytes) === false) controller.pause();
  }

  onResponseEnd(): void {
    const reader = this.#reader;
    this.#reader = undefined;
    this.#wasUsed = true;
    if (reader) this.#events.free();
    reader?.end();
  }

  onResponseError(_controller: unknown, cause: Error): void {
    const reader = this.#reader;
    this.#reader = undefined;
    // Later, because undici still has to clean up after this call.
    setImmediate(() => this.destroy());
    reader?.failed(cause, this.#wasUsed && this.#controller !== undefined);
  }
}
