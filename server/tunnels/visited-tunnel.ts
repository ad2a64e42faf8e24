// A tunnel from the visitors' side: how to reach its destination, who is connected, and its traffic.
import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import { resetConnection } from '#/contract/tunnel-carrier.ts';
import { DeviceClients } from './device-clients.ts';
import { PooledDials } from './pooled-dials.ts';

export interface VisitedTunnelOptions {
  name: string;
  protocol: 'HTTP' | 'TCP';
  /** Whether visitors with this `user:password` are let in; undefined if none is needed. */
  admits: ((login: string) => boolean) | undefined;
  /** Opens a connection to the destination. */
  dial: () => Promise<Duplex>;
}

export class VisitedTunnel {
  readonly name: string;
  readonly protocol: 'HTTP' | 'TCP';
  readonly dial: () => Promise<Duplex>;
  /** Reusable connections for requests without a body, and for the others. */
  readonly clients: DeviceClients;
  readonly pool: PooledDials;
  bytesIn = 0;
  bytesOut = 0;
  readonly #admits: VisitedTunnelOptions['admits'];
  readonly #visits = new Set<Duplex>();
  #used = performance.now();
  #ended = false;
  #whenEnded = () => {};

  constructor({ name, protocol, admits, dial }: VisitedTunnelOptions) {
    this.name = name;
    this.protocol = protocol;
    this.dial = dial;
    this.clients = new DeviceClients(dial);
    this.pool = new PooledDials(dial);
    this.#admits = admits;
  }

  get connections(): number {
    return this.#visits.size;
  }

  get needsLogin(): boolean {
    return this.#admits !== undefined;
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  /** Milliseconds since it was last used. */
  get unusedFor(): number {
    return performance.now() - this.#used;
  }

  /** Whether visitors with this `user:password` are let in. */
  admits(login: string): boolean {
    return this.#admits?.(login) ?? false;
  }

  /** Registers a visitor's connection (for a request, its socket) until `leave`. It is cut when the tunnel ends. */
  enter(visit: Duplex): void {
    this.#used = performance.now();
    if (this.#ended) visit.destroy();
    else this.#visits.add(visit);
  }

  leave(visit: Duplex): void {
    this.#used = performance.now();
    this.#visits.delete(visit);
  }

  carriedIn(bytes: number): void {
    this.bytesIn += bytes;
    this.#used = performance.now();
  }

  carriedOut(bytes: number): void {
    this.bytesOut += bytes;
    this.#used = performance.now();
  }

  whenEnded(done: () => void): void {
    if (this.#ended) done();
    else this.#whenEnded = done;
  }

  /** Cuts all connections. */
  end(): void {
    this.#ended = true;
    this.#whenEnded();
    this.pool.destroy();
    // A reset, so that truncated data does not look complete.
    for (const visit of this.#visits)
      if (visit instanceof Socket) resetConnection(visit);
      else visit.destroy();
    this.#visits.clear();
    this.clients.destroy();
  }
}
