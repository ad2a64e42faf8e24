// One connected tunnel: how to reach it, its current visitors, and its traffic.
import { hash, timingSafeEqual } from 'node:crypto';
import type { ClientHttp2Stream } from 'node:http2';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Offer } from '#/contract/agent-link.ts';
import type { AgentConnection } from '../agents/agent-connection.ts';
import { PooledDials } from './pooled-dials.ts';

export interface LiveTunnelOptions {
  name: string;
  agent: AgentConnection;
  offer: Offer;
  /** By the monotonic clock; infinite if it does not end by itself. */
  expires: number;
  dial: () => Promise<ClientHttp2Stream>;
}

export class LiveTunnel {
  readonly name: string;
  readonly agent: AgentConnection;
  /** The agent's number of it. */
  readonly id: number;
  readonly protocol: 'HTTP' | 'TCP';
  readonly expires: number;
  readonly dial: () => Promise<ClientHttp2Stream>;
  /** Reusable connections for requests. */
  readonly pool: PooledDials;
  bytesIn = 0;
  bytesOut = 0;
  readonly #login: Buffer | undefined;
  readonly #idleMs: number;
  readonly #visits = new Set<Duplex>();
  #used = performance.now();
  #ended = false;
  #whenEnded = () => {};

  constructor({ name, agent, offer, expires, dial }: LiveTunnelOptions) {
    this.name = name;
    this.agent = agent;
    this.id = offer.id;
    this.protocol = offer.protocol;
    this.expires = expires;
    this.dial = dial;
    this.pool = new PooledDials(dial);
    this.#login = offer.login === undefined ? undefined : Buffer.from(offer.login, 'hex');
    this.#idleMs = (offer.idleSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  }

  get connections(): number {
    return this.#visits.size;
  }

  get needsLogin(): boolean {
    return this.#login !== undefined;
  }

  /** Whether visitors with this `user:password` are let in. */
  admits(login: string): boolean {
    return this.#login !== undefined && timingSafeEqual(this.#login, hash('sha256', login, 'buffer'));
  }

  /** Counts a visitor's connection (for a request, its socket) until `leave`; it is cut when the tunnel ends. */
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

  isIdle(): boolean {
    return performance.now() - this.#used > this.#idleMs;
  }

  whenEnded(done: () => void): void {
    if (this.#ended) done();
    else this.#whenEnded = done;
  }

  /** Cuts everything that goes through it. */
  end(): void {
    this.#ended = true;
    this.#whenEnded();
    this.pool.destroy();
    // A reset, so that truncated data does not look complete.
    for (const visit of this.#visits)
      if (visit instanceof Socket) visit.resetAndDestroy();
      else visit.destroy();
    this.#visits.clear();
  }
}
