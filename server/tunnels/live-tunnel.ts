// A tunnel whose agent is connected to this node.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Offer } from '#/contract/agent-link.ts';
import type { AgentConnection } from '../agents/agent-connection.ts';
import { VisitedTunnel } from './visited-tunnel.ts';

export interface LiveTunnelOptions {
  name: string;
  agent: AgentConnection;
  offer: Pick<Offer, 'protocol' | 'login' | 'idleSeconds'>;
  /** The agent's number for it; undefined for a tunnel that a person opened here, of which the agent knows nothing. */
  id: number | undefined;
  /** When it expires, by the monotonic clock; infinite if it does not. */
  expires: number;
  dial: () => Promise<Duplex>;
}

export class LiveTunnel extends VisitedTunnel {
  readonly agent: AgentConnection;
  /** The agent's number for this tunnel, if it has one. */
  readonly id: number | undefined;
  readonly expires: number;
  readonly #idleMs: number;

  constructor({ name, agent, offer, id, expires, dial }: LiveTunnelOptions) {
    const { protocol, login } = offer;
    const right = login === undefined ? undefined : Buffer.from(login, 'hex');
    const admits = right && ((shown: string) => timingSafeEqual(right, hash('sha256', shown, 'buffer')));
    super({ name, protocol, admits, dial });
    this.agent = agent;
    this.id = id;
    this.expires = expires;
    this.#idleMs = (offer.idleSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  }

  isIdle(): boolean {
    return this.unusedFor > this.#idleMs;
  }
}
