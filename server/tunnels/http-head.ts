// Decides which headers pass through a tunnel. Proxies that forward something other than what they parsed have let
// visitors in where they did not belong (CVE-2026-40910), so everything ambiguous is refused.

/** Headers as received, as alternating names and values: the parsed form shows only one of two Host headers. */
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

/** What a request asks for. */
export interface Target {
  /** The tunnel's. */
  name: string;
  /** In origin form, with the query. */
  path: string;
  /** Without the dot that a name may end with. */
  host: string;
}

/** What a request asks for, and of which tunnel; undefined if the request must be refused. */
export function targetOf({ url = '', rawHeaders }: RequestHead, domain: string): Target | undefined {
  const hosts = valuesOf(rawHeaders, 'host');
  const lengths = valuesOf(rawHeaders, 'content-length');
  const codings = valuesOf(rawHeaders, 'transfer-encoding');
  if (hosts.length !== 1 || lengths.length > 1 || codings.length > 1) return undefined;
  // This service might check one, and the device's service the other.
  if (valuesOf(rawHeaders, 'authorization').length > 1) return undefined;
  if (lengths.length > 0 && (codings.length > 0 || !/^\d{1,15}$/.test(lengths[0] ?? ''))) return undefined;
  if (codings.length > 0 && codings[0]?.toLowerCase() !== 'chunked') return undefined;
  const place = placeOf(hosts[0] ?? '', domain);
  if (!place || url.startsWith('/')) return place && { ...place, path: url };
  // The absolute form (RFC 9112, section 3.2.2). Its host counts, and a client has to send the same one as Host.
  const [, authority = '', rest = ''] = /^https?:\/\/([^/?#]*)([/?][^#]*)?$/i.exec(url) ?? [];
  if (placeOf(authority, domain)?.host.toLowerCase() !== place.host.toLowerCase()) return undefined;
  return { ...place, path: rest.startsWith('/') ? rest : `/${rest}` };
}

function placeOf(host: string, domain: string): Pick<Target, 'name' | 'host'> | undefined {
  const [, name = '', below = '', port = ''] = /^([a-z0-9-]{1,63})\.([a-z0-9.-]+?)\.?(:\d{1,5})?$/i.exec(host) ?? [];
  return below.toLowerCase() === domain ? { name: name.toLowerCase(), host: `${name}.${below}${port}` } : undefined;
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
/** Servers that turn headers into variables (CGI, WSGI) treat `_` and `-` alike. */
const isReserved = (name: string) => RESERVED_HEADERS.has(name.replaceAll('_', '-'));
/** `Connection` must not remove these headers, because that would change the meaning of the request. */
const PROTECTED = new Set(['host', 'content-length', 'cookie', 'authorization', 'origin']);

function hopByHopOf(headers: RawHeaders): ReadonlySet<string> {
  const named = valuesOf(headers, 'connection').flatMap((value) => value.toLowerCase().split(','));
  const more = named.map((name) => name.trim()).filter((name) => !PROTECTED.has(name) && !HOP_BY_HOP.has(name));
  return more.length === 0 ? HOP_BY_HOP : new Set([...HOP_BY_HOP, ...more]);
}

export interface Visitor {
  address: string;
  /** What the device's service is told as Host. */
  host: string;
  scheme: string;
  /** The names of this service's cookies. */
  ownCookies: readonly string[];
  /** The results of `secretsOf` that are tokens or keys of this service, or the login of this tunnel. */
  ownSecrets: ReadonlySet<string>;
  /** The length of AUTH_TOKEN. */
  tokenLength?: number | undefined;
}

/** The visitor's headers for the device's service, without this service's cookies and secrets. */
export function headersForDevice(headers: RawHeaders, visitor: Visitor): string[] {
  const hopByHop = hopByHopOf(headers);
  const passed: string[] = [];
  each(headers, (name, value, lower) => {
    if (hopByHop.has(lower) || isReserved(lower) || lower === 'expect') return;
    const isOwn = (text: string) =>
      visitor.ownSecrets.size > 0 &&
      secretsInHeader(lower, text, visitor.tokenLength).some((secret) => visitor.ownSecrets.has(secret));
    if (lower !== 'cookie' && isOwn(value)) return;
    if (lower === 'host') return void passed.push(name, visitor.host);
    const out = lower === 'cookie' ? withoutCookies(value, visitor.ownCookies, isOwn) : value;
    if (lower !== 'cookie' || out !== '') passed.push(name, out);
  });
  if (valuesOf(headers, 'transfer-encoding').length > 0) passed.push('Transfer-Encoding', 'chunked');
  passed.push(
    'X-Forwarded-For',
    visitor.address,
    'X-Forwarded-Host',
    visitor.host,
    'X-Forwarded-Proto',
    visitor.scheme,
  );
  return passed;
}

/** The headers from the device's service for the visitor, without cookies for other hosts. */
export function headersForVisitor(headers: RawHeaders, host: string): string[] {
  const hopByHop = hopByHopOf(headers);
  const out: string[] = [];
  each(headers, (name, value, lower) => {
    if (hopByHop.has(lower) || (lower === 'set-cookie' && isForOthers(value, host))) return;
    const passed = lower === 'clear-site-data' ? withinHost(value) : value;
    if (passed !== '' || value === '') out.push(name, passed);
  });
  return out;
}

/** A Cookie header without cookies of these names or with a secret; the rest is unchanged. */
export function withoutCookies(
  header: string,
  names: readonly string[],
  isSecret: (cookie: string) => boolean = () => false,
): string {
  const cookies = header.split(';');
  const others = cookies.filter((cookie) => !names.includes((cookie.split('=')[0] ?? '').trim()) && !isSecret(cookie));
  return others.length === cookies.length ? header : others.join(';').trim();
}

/** A cookie with a Domain is sent to every host below it (RFC 6265, section 4.1.2.3). */
function isForOthers(cookie: string, host: string): boolean {
  const own = host.replace(/:\d+$/, '').toLowerCase();
  return cookie
    .split(';')
    .slice(1)
    .map((attribute) => /^\s*domain\s*=\s*\.?([^\s]*)\s*$/i.exec(attribute)?.[1]?.toLowerCase())
    .some((domain) => domain !== undefined && domain !== '' && domain !== own);
}

/**
 * Clear-Site-Data without directives that affect other hosts: `cookies` would clear the whole domain, including other
 * tunnels.
 */
const withinHost = (value: string): string =>
  value
    .split(',')
    .map((kind) => kind.trim())
    .filter((kind) => kind !== '"cookies"' && kind !== '"*"')
    .join(', ');

/** The `user:password` of `Authorization: Basic`. */
export function basicLogin(header: string): string | undefined {
  const coded = /^\s*basic\s+([\w+/=-]+)\s*$/i.exec(header)?.[1];
  return coded === undefined ? undefined : Buffer.from(coded, 'base64').toString();
}

/** Tokens, device keys and session values in the format of store/ids.ts. */
const OWN_FORMAT = /\b(?:mut|mus|mdk)_[\w-]{16,}/g;
/** A header whose name matches contains a credential in any format. */
const CREDENTIAL_NAME = /auth|token|secret|api-?key/;
const BETWEEN_VALUES = /[\s,;="]+/;
const NO_SECRETS: readonly string[] = [];

/**
 * Possible secrets of this service in a header: anything with the format of its secrets, or with the length of
 * AUTH_TOKEN, which can be any text. In a credential, every part is one, because there may be earlier AUTH_TOKENs.
 */
function secretsInHeader(lower: string, value: string, tokenLength: number | undefined): readonly string[] {
  if (lower === 'authorization' || CREDENTIAL_NAME.test(lower)) return secretsIn(value);
  const ownFormat = value.includes('_') ? (value.match(OWN_FORMAT) ?? NO_SECRETS) : NO_SECRETS;
  if (tokenLength === undefined || value.length < tokenLength) return ownFormat;
  return [...ownFormat, ...value.split(BETWEEN_VALUES).filter(({ length }) => length === tokenLength)];
}

/** Possible secrets of this service in the headers of a request, without duplicates. */
export function secretsOf(headers: RawHeaders, tokenLength?: number): ReadonlySet<string> {
  const found = new Set<string>();
  each(headers, (_name, value, lower) => {
    for (const secret of secretsInHeader(lower, value, tokenLength)) found.add(secret);
  });
  return found;
}

/** Every place where a credential can have a token: after any scheme, as user or as password. */
function secretsIn(header: string): string[] {
  const login = basicLogin(header);
  const colon = login?.indexOf(':') ?? -1;
  const parts = login === undefined ? [] : [login, login.slice(0, Math.max(0, colon)), login.slice(colon + 1)];
  const ownFormat = header.match(OWN_FORMAT) ?? NO_SECRETS;
  return [...ownFormat, ...header.split(BETWEEN_VALUES), ...parts].filter((secret) => secret !== '');
}
