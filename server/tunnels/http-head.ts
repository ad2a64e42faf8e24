// Which headers pass through a tunnel. Proxies that forward something else than they read have let visitors in where they
// did not belong (CVE-2026-40910), so everything ambiguous is refused.

/** Headers as received, names and values in turn: the parsed form shows only one of two Host headers. */
export type RawHeaders = readonly string[];

function each(headers: RawHeaders, take: (name: string, value: string, lowerCase: string) => void): void {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    take(name, headers[at + 1] ?? '', name.toLowerCase());
  }
}
function valuesOf(headers: RawHeaders, wanted: string): string[] {
  const values: string[] = [];
  each(headers, (_name, value, lower) => void (lower === wanted && values.push(value)));
  return values;
}

export interface RequestHead {
  url?: string | undefined;
  rawHeaders: RawHeaders;
}

/** The name of the request's tunnel; undefined for a request that must be refused. */
export function tunnelNameOf({ url = '', rawHeaders }: RequestHead, domain: string): string | undefined {
  // An absolute form ("GET http://other/") has its own host, which would apply by RFC 9112, section 3.2.2.
  if (!url.startsWith('/')) return undefined;
  const hosts = valuesOf(rawHeaders, 'host');
  const lengths = valuesOf(rawHeaders, 'content-length');
  const codings = valuesOf(rawHeaders, 'transfer-encoding');
  if (hosts.length !== 1 || lengths.length > 1 || codings.length > 1) return undefined;
  // One would be checked here, the other by the device's service.
  if (valuesOf(rawHeaders, 'authorization').length > 1) return undefined;
  if (lengths.length > 0 && (codings.length > 0 || !/^\d{1,15}$/.test(lengths[0] ?? ''))) return undefined;
  if (codings.length > 0 && codings[0]?.toLowerCase() !== 'chunked') return undefined;
  const [, name, below] = /^([a-z0-9-]{1,63})\.([a-z0-9.-]+?)(?::\d{1,5})?$/i.exec(hosts[0] ?? '') ?? [];
  return below?.toLowerCase() === domain ? name?.toLowerCase() : undefined;
}

/** Hop-by-hop headers (RFC 9110, section 7.6.1), besides those that `Connection` names. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Headers that only this service may set. */
const RESERVED_HEADERS = new Set([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]);
/** Servers that convert headers to variables (CGI, WSGI) treat `_` and `-` alike. */
const isReserved = (name: string) => RESERVED_HEADERS.has(name.replaceAll('_', '-'));
/** `Connection` must not remove these: the rest would mean something else. */
const PROTECTED = new Set(['host', 'content-length', 'cookie', 'authorization', 'origin']);

function betweenNeighbours(headers: RawHeaders): ReadonlySet<string> {
  const named = valuesOf(headers, 'connection').flatMap((value) => value.toLowerCase().split(','));
  const more = named.map((name) => name.trim()).filter((name) => !PROTECTED.has(name) && !HOP_BY_HOP.has(name));
  return more.length === 0 ? HOP_BY_HOP : new Set([...HOP_BY_HOP, ...more]);
}

export interface Visitor {
  address: string;
  scheme: string;
  /** Names of our own session's cookie. */
  ownCookies: readonly string[];
  /** Those of `secretsOf` that are tokens or keys of this service, or the login of this tunnel. */
  ownSecrets: ReadonlySet<string>;
  /** Length of AUTH_TOKEN. */
  tokenLength?: number | undefined;
}

/** The visitor's headers for the device's service, without what belongs to this service. */
export function headersForDevice(headers: RawHeaders, visitor: Visitor): string[] {
  const left = betweenNeighbours(headers);
  const passed: string[] = [];
  let host = '';
  each(headers, (name, value, lower) => {
    if (left.has(lower) || isReserved(lower) || lower === 'expect') return;
    const isOwn = (text: string) =>
      visitor.ownSecrets.size > 0 &&
      secretsInHeader(lower, text, visitor.tokenLength).some((secret) => visitor.ownSecrets.has(secret));
    if (lower !== 'cookie' && isOwn(value)) return;
    if (lower === 'host') host = value;
    const out = lower === 'cookie' ? withoutCookies(value, visitor.ownCookies, isOwn) : value;
    if (lower !== 'cookie' || out !== '') passed.push(name, out);
  });
  if (valuesOf(headers, 'transfer-encoding').length > 0) passed.push('Transfer-Encoding', 'chunked');
  passed.push('X-Forwarded-For', visitor.address, 'X-Forwarded-Host', host, 'X-Forwarded-Proto', visitor.scheme);
  return passed;
}

/** The headers of the device's service for the visitor, without cookies for other hosts. */
export function headersForVisitor(headers: RawHeaders, host: string): string[] {
  const left = betweenNeighbours(headers);
  const out: string[] = [];
  each(headers, (name, value, lower) => {
    if (left.has(lower) || (lower === 'set-cookie' && isForOthers(value, host))) return;
    const passed = lower === 'clear-site-data' ? ofThisHost(value) : value;
    if (passed !== '' || value === '') out.push(name, passed);
  });
  return out;
}

/** The header without the cookies of these names, and those that hold a secret; the rest is unchanged. */
export function withoutCookies(
  header: string,
  names: readonly string[],
  isSecret: (cookie: string) => boolean = () => false,
): string {
  const cookies = header.split(';');
  const others = cookies.filter((cookie) => !names.includes((cookie.split('=')[0] ?? '').trim()) && !isSecret(cookie));
  return others.length === cookies.length ? header : others.join(';').trim();
}

/** RFC 6265, section 4.1.2.3: a cookie with a Domain is sent to every host below it. */
function isForOthers(cookie: string, host: string): boolean {
  const own = host.replace(/:\d+$/, '').toLowerCase();
  return cookie
    .split(';')
    .slice(1)
    .map((attribute) => /^\s*domain\s*=\s*\.?([^\s]*)\s*$/i.exec(attribute)?.[1]?.toLowerCase())
    .some((domain) => domain !== undefined && domain !== '' && domain !== own);
}

/**
 * Clear-Site-Data without what reaches beyond this host: `cookies` would clear the whole domain, other tunnels
 * included.
 */
const ofThisHost = (value: string): string =>
  value
    .split(',')
    .map((kind) => kind.trim())
    .filter((kind) => kind !== '"cookies"' && kind !== '"*"')
    .join(', ');

/** The user and password of `Authorization: Basic`, as one text. */
export function basicLogin(header: string): string | undefined {
  const coded = /^\s*basic\s+([\w+/=-]+)\s*$/i.exec(header)?.[1];
  return coded === undefined ? undefined : Buffer.from(coded, 'base64').toString();
}

/** Tokens, device keys and session values as this service makes them (store/ids.ts). */
const MADE_HERE = /\b(?:mut|mus|mdk)_[\w-]{16,}/g;
/** A header of this name holds a credential of whatever form. */
const CREDENTIAL_NAME = /auth|token|secret|api-?key/;
const BETWEEN_VALUES = /[\s,;="]+/;
const NO_SECRETS: readonly string[] = [];

/**
 * What may be a secret of this service in a header: wherever it is, what has the form of those made here or the length of
 * AUTH_TOKEN, which can be any text; in credentials every part, for there may be earlier AUTH_TOKENs.
 */
function secretsInHeader(lower: string, value: string, tokenLength: number | undefined): readonly string[] {
  if (lower === 'authorization' || CREDENTIAL_NAME.test(lower)) return secretsIn(value);
  const made = value.includes('_') ? (value.match(MADE_HERE) ?? NO_SECRETS) : NO_SECRETS;
  if (tokenLength === undefined || value.length < tokenLength) return made;
  return [...made, ...value.split(BETWEEN_VALUES).filter(({ length }) => length === tokenLength)];
}

/** What may be a secret of this service in the headers of a request, each once. */
export function secretsOf(headers: RawHeaders, tokenLength?: number): ReadonlySet<string> {
  const found = new Set<string>();
  each(headers, (_name, value, lower) => {
    for (const secret of secretsInHeader(lower, value, tokenLength)) found.add(secret);
  });
  return found;
}

/** Every position of a token: after any scheme, as user or as password. */
function secretsIn(header: string): string[] {
  const login = basicLogin(header);
  const colon = login?.indexOf(':') ?? -1;
  const parts = login === undefined ? [] : [login, login.slice(0, Math.max(0, colon)), login.slice(colon + 1)];
  const made = header.match(MADE_HERE) ?? NO_SECRETS;
  return [...made, ...header.split(BETWEEN_VALUES), ...parts].filter((secret) => secret !== '');
}
