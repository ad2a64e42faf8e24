// Which destinations a device allows the service to open tunnels to. The agent enforces this; the service and the
// dashboard read the same text to say beforehand what the agent would refuse.
//
// An allowance is "none", or a list with commas: "loopback" (this device's own ports), and patterns "host:port". The host
// of a pattern is a name, "*.example.com", an address, a range like "192.168.1.0/24", or "*"; IPv6 is in brackets. The
// port is a number, a range like "8000-8099", or "*".

/** What an agent allows that was not started with another choice, and what those allow that say nothing. */
export const ALLOWS_NONE = 'none';
/** This device's own ports: 127.0.0.0/8, ::1, and `localhost` as far as it resolves to one of them. */
export const ALLOWS_LOOPBACK = 'loopback';

export const MAX_ALLOWANCE = 1_000;
const MAX_PATTERNS = 50;
const MAX_DEST = 255;

export interface Destination {
  protocol: 'HTTP' | 'TCP';
  /** `<scheme>://<host>:<port>`, in one spelling for each destination. */
  dest: string;
  /** Without brackets. An IPv4 address in IPv6 form is written as IPv4. */
  host: string;
  port: number;
}

/** Parses `http://127.0.0.1:3000` or `tcp://127.0.0.1:22`; undefined if it is anything else. */
export function parseDestination(text: string): Destination | undefined {
  const [, scheme = ''] = /^(http|tcp):\/\//i.exec(text) ?? [];
  const rest = text.slice(scheme.length + 3);
  // URL ignores some of these, which another reader may not.
  if (scheme === '' || /[\s\\@?#]/.test(rest)) return undefined;
  // Parsed as http, because URL barely checks unknown schemes.
  const url = URL.canParse(`http://${rest}`) ? new URL(`http://${rest}`) : undefined;
  if (url?.pathname !== '/') return undefined;
  const protocol = scheme.toLowerCase() === 'http' ? 'HTTP' : 'TCP';
  // URL omits the port of http; tcp has no default.
  const port = /:0*80\/?$/.test(rest) ? 80 : url.port === '' && protocol === 'HTTP' ? 80 : Number(url.port);
  const host = plainHost(url.hostname);
  // "localhost." would be another name for the same host.
  if (port < 1 || host === '' || host.endsWith('.')) return undefined;
  const dest = `${scheme.toLowerCase()}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return dest.length > MAX_DEST ? undefined : { protocol, dest, host, port };
}

/** A host as URL writes it, without brackets, and without the IPv6 form of IPv4. */
function plainHost(hostname: string): string {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (!host.includes(':')) return host;
  const address = parseAddress(host);
  return address?.family === 4 ? textOfIPv4(address.value) : host;
}

interface Address {
  family: 4 | 6;
  value: bigint;
}

const MAPPED = 0xffffn;

/** An IP address as a number. `::ffff:127.0.0.1` is the IPv4 address, to which a connection would go. */
function parseAddress(text: string): Address | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (parts)
    return parts.every((part) => part < 256)
      ? { family: 4, value: parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n) }
      : undefined;
  if (!text.includes(':') || text.includes('%') || !URL.canParse(`http://[${text}]`)) return undefined;
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const words = (part: string) => (part === '' ? [] : part.split(':').map((word) => BigInt(`0x${word}`)));
  const [before, after] = [words(head), words(tail ?? '')];
  const all = [...before, ...Array<bigint>(8 - before.length - after.length).fill(0n), ...after];
  const value = all.reduce((sum, word) => sum * 65_536n + word, 0n);
  return value >> 32n === MAPPED ? { family: 4, value: value & 0xffff_ffffn } : { family: 6, value };
}

const textOfIPv4 = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');

interface Range extends Address {
  /** How many leading bits count. */
  bits: number;
}

const isIn = (address: Address, { family, value, bits }: Range): boolean => {
  const shift = BigInt((family === 4 ? 32 : 128) - bits);
  return address.family === family && address.value >> shift === value >> shift;
};

function parseRange(text: string): Range | undefined {
  const [, host = '', given] = /^(.*?)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(host);
  if (!address) return undefined;
  const most = address.family === 4 ? 32 : 128;
  const bits = given === undefined ? most : Number(given);
  return bits > most ? undefined : { ...address, bits };
}

const LOOPBACK: readonly Range[] = ['127.0.0.0/8', '::1'].flatMap((text) => parseRange(text) ?? []);
/**
 * The device itself, its link, and everybody on it: "0.0.0.0" connects to this device, and 169.254.169.254 is where
 * clouds keep credentials. A name that leads there was most likely made to.
 */
const SPECIAL: readonly Range[] = [
  ...LOOPBACK,
  ...['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255', '::', 'fe80::/10', 'ff00::/8'].flatMap(
    (text) => parseRange(text) ?? [],
  ),
];

interface Pattern {
  /** In lower case; undefined for a pattern of addresses. `*` stands for every host. */
  name: string | undefined;
  range: Range | undefined;
  first: number;
  last: number;
}

/** What an allowance allows. */
export interface Allowance {
  loopback: boolean;
  patterns: readonly Pattern[];
}

const NOTHING: Allowance = { loopback: false, patterns: [] };

/** Parses an allowance; undefined if it is not one, which must never count as more than "none". */
export function parseAllowance(text: string): Allowance | undefined {
  const items = text.split(',').map((item) => item.trim());
  if (text.length > MAX_ALLOWANCE || items.length > MAX_PATTERNS) return undefined;
  if (items.length === 1 && items[0] === ALLOWS_NONE) return NOTHING;
  const patterns: Pattern[] = [];
  for (const item of items) {
    if (item === ALLOWS_LOOPBACK) continue;
    const pattern = parsePattern(item.toLowerCase());
    if (!pattern) return undefined;
    patterns.push(pattern);
  }
  return { loopback: items.includes(ALLOWS_LOOPBACK), patterns };
}

const NAME = /^(\*|(\*\.)?[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*)$/;

function parsePattern(text: string): Pattern | undefined {
  const [, bracketed, plain = '', port = ''] =
    /^(?:\[([\da-f:.]+(?:\/\d{1,3})?)\]|([^:[\]]+)):(\*|\d{1,5}(?:-\d{1,5})?)$/.exec(text) ?? [];
  const [from = '', to = from] = port === '*' ? ['1', '65535'] : port.split('-');
  const [first, last] = [Number(from), Number(to)];
  if (port === '' || first < 1 || last < first || last > 65_535) return undefined;
  const range = parseRange(bracketed ?? plain);
  if (range) return { name: undefined, range, first, last };
  // What looks like an address and is none would be taken for a name that nobody has.
  if (bracketed !== undefined || !NAME.test(plain) || /(^|\.)(\d+|0x[\da-f]*)$/.test(plain)) return undefined;
  return { name: plain, range: undefined, first, last };
}

const fits = ({ first, last }: Pattern, port: number) => first <= port && port <= last;

const namesHost = (name: string | undefined, host: string): boolean =>
  name === '*' || name === host || (name?.startsWith('*.') === true && host.endsWith(name.slice(1)));

/** Whether connections to this address are allowed because of the address itself. */
function allowsAddress({ loopback, patterns }: Allowance, address: Address, port: number): boolean {
  if (loopback && LOOPBACK.some((range) => isIn(address, range))) return true;
  return patterns.some((pattern) => fits(pattern, port) && (pattern.name === '*' || isInRange(address, pattern)));
}

const isInRange = (address: Address, { range }: Pattern): boolean => range !== undefined && isIn(address, range);

/**
 * Whether a destination is allowed, as far as that can be seen without resolving its name; what the name resolves to must
 * then pass `allowsResolved`.
 */
export function allows(allowance: Allowance, { host, port }: Pick<Destination, 'host' | 'port'>): boolean {
  const address = parseAddress(host);
  if (address) return allowsAddress(allowance, address, port);
  if (allowance.loopback && host === 'localhost') return true;
  return allowance.patterns.some((pattern) => fits(pattern, port) && namesHost(pattern.name, host));
}

/** Whether an allowed name may be reached at this address, which it resolved to. */
export function allowsResolved(
  allowance: Allowance,
  { host, port }: Pick<Destination, 'host' | 'port'>,
  resolved: string,
): boolean {
  const address = parseAddress(resolved);
  if (!address || !allows(allowance, { host, port })) return false;
  if (allowsAddress(allowance, address, port)) return true;
  // Whoever controls a name could point it at the device itself, or at what only the device can reach.
  if (SPECIAL.some((range) => isIn(address, range))) return false;
  return allowance.patterns.some((pattern) => fits(pattern, port) && namesHost(pattern.name, host));
}
