// The device's side of its tunnels: offers the configured ones, connects when visitors come, and never connects to any
// other destination, except those that its owner lets the service ask for. A tunnel that was closed by the service stays closed while this process runs.
import { createHash, randomBytes } from 'node:crypto';
import { CARRIER_PATH, type AgentMessage, type Offer, type ServiceMessage } from '#/contract/agent-link.ts';
import { proxyTunnel, socketUrl, type ProxyTunnel } from './outgoing.ts';
import { TunnelCarrier } from './tunnel-carrier.ts';
import type { TunnelGate } from './tunnel-gate.ts';
import type { TunnelOption } from './tunnel-options.ts';

export interface TunnelManagerOptions {
  server: string;
  /** The device's key at the moment. */
  key: () => string;
  tunnels: TunnelOption[];
  gate: TunnelGate;
  send: (message: AgentMessage) => void;
  log: (line: string) => void;
}

type TunnelMessage = Extract<ServiceMessage, { type: 'opened' | 'closed' | 'carry' }>;

const NO_REASON = 'the service gave no reason';

export class TunnelManager {
  readonly #options: TunnelManagerOptions;
  readonly #run = randomBytes(12).toString('hex');
  readonly #begun = performance.now();
  readonly #closed = new Set<number>();
  readonly #carriers = new Set<TunnelCarrier>();
  /** The last line logged for each tunnel, so that reconnecting does not fill the log. */
  readonly #logged = new Map<number, string>();
  /** Why the last carrier had no connection. */
  #fault: string | undefined;

  constructor(options: TunnelManagerOptions) {
    this.#options = options;
  }

  /** Offers all tunnels; call this on each new connection. */
  offer(): void {
    const offers = this.#options.tunnels.flatMap((tunnel, id): Offer[] => {
      const { protocol, dest, login, idleSeconds, lifeSeconds } = tunnel;
      if (this.#closed.has(id)) return [];
      const lived = (performance.now() - this.#begun) / 1000;
      if (lifeSeconds !== undefined && lived >= lifeSeconds) return [];
      return [
        {
          id,
          protocol,
          dest,
          ...(login !== undefined && { login: createHash('sha256').update(login).digest('hex') }),
          ...(idleSeconds !== undefined && { idleSeconds }),
          ...(lifeSeconds !== undefined && { endsInSeconds: Math.ceil(lifeSeconds - lived) }),
        },
      ];
    });
    this.#options.send({ type: 'offers', run: this.#run, offers });
  }

  received(message: TunnelMessage): void {
    switch (message.type) {
      case 'opened':
        for (const { id, address, refused } of message.tunnels)
          this.#logChange(id, address === undefined ? `is not open: ${refused || NO_REASON}` : `is open at ${address}`);
        return;
      case 'closed':
        this.#closed.add(message.id);
        this.#logChange(message.id, `is closed: ${message.reason || NO_REASON}`);
        return;
      case 'carry':
        return this.#carry(message.ticket);
    }
  }

  /** Called when the connection is lost, which also cuts off visitors. */
  lost(): void {
    this.#fault = undefined;
    for (const carrier of this.#carriers) carrier.end();
  }

  #carry(ticket: string): void {
    const url = socketUrl(this.#options.server, CARRIER_PATH);
    const tunnel = proxyTunnel(url);
    if (tunnel) void tunnel.then((proxy) => this.#open(url, ticket, proxy));
    else this.#open(url, ticket);
  }

  #open(url: URL, ticket: string, proxy?: ProxyTunnel): void {
    const { key, tunnels, gate } = this.#options;
    const carrier = new TunnelCarrier({
      url,
      proxy,
      key: key(),
      ticket,
      destination: (id) => (this.#closed.has(id) ? undefined : tunnels[id]),
      wayTo: (asked) => gate.wayTo(asked),
      failed: (why) => this.#logFault(why),
      ended: () => this.#carriers.delete(carrier),
    });
    this.#carriers.add(carrier);
  }

  #logFault(why: string): void {
    if (why === this.#fault) return;
    this.#fault = why;
    this.#options.log(`No connection for tunnels to ${this.#options.server} (${why}).`);
  }

  #logChange(id: number, what: string): void {
    const tunnel = this.#options.tunnels[id];
    if (!tunnel || this.#logged.get(id) === what) return;
    this.#logged.set(id, what);
    this.#options.log(`Tunnel to ${tunnel.dest} ${what}`);
  }
}
