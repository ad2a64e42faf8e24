// The local services that the agent opens tunnels to: only those on its command line and in its configuration file. The
// file can also require a login and limit the time.
import { readFileSync } from 'node:fs';
import { MAX_TUNNELS } from '#/contract/agent-link.ts';
import { parseDestination, type Destination } from '#/contract/tunnel-allowance.ts';
import { UsageError } from './usage-error.ts';

export interface TunnelOption extends Destination {
  /** `user:password` that visitors of an HTTP tunnel must send. */
  login?: string;
  idleSeconds?: number;
  /** How long the tunnel stays open, counted from the start of the agent. */
  lifeSeconds?: number;
}

const EXAMPLE = 'http://127.0.0.1:3000 or tcp://127.0.0.1:22';

/** The tunnels from the command line and the file. If a destination is in both, the file applies. */
export function readTunnels(given: string[], configFile: string | undefined): TunnelOption[] {
  const named = configFile === undefined ? [] : readFile(configFile);
  for (const text of given) named.push(readDestination(text, '--tunnel'));
  const tunnels = named.filter((one, at) => at === named.findIndex(({ dest }) => dest === one.dest));
  if (tunnels.length > MAX_TUNNELS) throw new UsageError(`An agent can have ${MAX_TUNNELS} tunnels at most.`);
  return tunnels;
}

function readDestination(text: string, where: string): TunnelOption {
  const destination = parseDestination(text);
  if (!destination) throw new UsageError(`${where} is "${text}", but it must be an address like ${EXAMPLE}`);
  return destination;
}

/** `{"tunnels": ["tcp://127.0.0.1:22", {"to": "http://127.0.0.1:3000", "login": "user:password", "idle": "15m"}]}` */
function readFile(file: string): TunnelOption[] {
  const wrong = (why: string) => new UsageError(`The configuration ${file} ${why}`);
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw wrong(`cannot be read: ${(error as Error).message}`);
  }
  const { tunnels, ...others } = isObject(content) ? content : {};
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(`has "${unknown}", which means nothing here: it may have "tunnels" only.`);
  if (!Array.isArray(tunnels)) throw wrong('must hold {"tunnels": […]}.');
  return tunnels.map((entry: unknown) => {
    const { to, login, idle, expires, ...rest } =
      typeof entry === 'string' ? { to: entry } : isObject(entry) ? entry : {};
    const [extra] = Object.keys(rest);
    if (extra !== undefined) throw wrong(`has "${extra}" in a tunnel: there are "to", "login", "idle", "expires".`);
    if (typeof to !== 'string') throw wrong(`has a tunnel without "to", like ${EXAMPLE}`);
    const tunnel = readDestination(to, `A tunnel in ${file}`);
    if (login !== undefined && (typeof login !== 'string' || !/^[^:]+:.+$/s.test(login) || tunnel.protocol !== 'HTTP'))
      throw wrong(`has a wrong "login" for ${to}: it is "user:password", for http only.`);
    return {
      ...tunnel,
      ...(login !== undefined && { login }),
      ...(idle !== undefined && { idleSeconds: span(idle, 'idle') }),
      ...(expires !== undefined && { lifeSeconds: span(expires, 'expires') }),
    };
  });

  function span(value: unknown, name: string): number {
    const [, count, unit] = /^(\d{1,6}) ?([smhd])$/.exec(typeof value === 'string' ? value : '') ?? [];
    const seconds = Number(count) * { s: 1, m: 60, h: 3600, d: 86_400 }[(unit ?? 's') as 's'];
    if (!(seconds > 0)) throw wrong(`has a wrong "${name}": it is a time like "90s", "15m", "8h" or "7d".`);
    return seconds;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
