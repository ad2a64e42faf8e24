// The destinations that the service may ask for, beside the tunnels that this device opens itself. What is allowed is
// decided once, when the process starts; no message of the service can change it.
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import {
  ALLOWS_NONE,
  allows,
  allowsResolved,
  parseAllowance,
  parseDestination,
  type Allowance,
  type Destination,
} from '#/contract/tunnel-allowance.ts';

export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** Where to connect. A name is not resolved again: it could lead elsewhere the second time. */
export type Way = Pick<TcpNetConnectOpts, 'host' | 'port' | 'lookup' | 'autoSelectFamily'>;

/** At most this many lines about different destinations, so that a service cannot fill the log. */
const MAX_LOGGED = 200;

export class TunnelGate {
  readonly #allowance: Allowance;
  readonly #resolve: Resolve;
  readonly #log: (line: string) => void;
  readonly #logged = new Set<string>();
  /** What this device allows, as its owner wrote it. */
  readonly allowed: string;

  constructor(
    allowed: string,
    log: (line: string) => void,
    resolveName: Resolve = (host) => lookup(host, { all: true, order: 'verbatim' }),
  ) {
    const allowance = parseAllowance(allowed);
    this.allowed = allowance ? allowed : ALLOWS_NONE;
    this.#allowance = allowance ?? { loopback: false, patterns: [] };
    this.#log = log;
    this.#resolve = resolveName;
  }

  /** The way to a destination that the service asks for; undefined if this device does not allow it. */
  async wayTo(asked: string): Promise<Way | undefined> {
    const destination = parseDestination(asked);
    if (!destination || !allows(this.#allowance, destination)) return this.#refuse(asked);
    const { host, port } = destination;
    if (isIP(host) !== 0) return this.#pass(destination, { host, port });
    const found = await this.#resolve(host);
    const addresses = found.filter(({ address }) => allowsResolved(this.#allowance, destination, address));
    if (addresses.length === 0) return this.#refuse(asked);
    const checked: LookupFunction = (_host, _options, done) => done(null, addresses);
    return this.#pass(destination, { host, port, lookup: checked, autoSelectFamily: true });
  }

  #pass({ dest }: Destination, way: Way): Way {
    this.#logOnce(`The service connects visitors to ${dest}, which --allow-tunnels allows.`);
    return way;
  }

  #refuse(asked: string): undefined {
    const shown = JSON.stringify(asked.slice(0, 255));
    this.#logOnce(`The service asked for ${shown}, which --allow-tunnels does not allow: refused.`);
  }

  #logOnce(line: string): void {
    if (this.#logged.has(line) || this.#logged.size >= MAX_LOGGED) return;
    this.#logged.add(line);
    this.#log(line);
  }
}
