// The proxy between this device and an address, from the variables that install.sh, curl and wget obey too.
import { BlockList, isIP, isIPv6 } from 'node:net';
import { UsageError } from './usage-error.ts';

type Environment = Record<string, string | undefined>;

/** In lower case or in upper case; an empty one counts as none, as in curl. */
function variable(env: Environment, name: string): [name: string, value: string] | undefined {
  for (const each of [name, name.toUpperCase()]) if (env[each]) return [each, env[each]];
  return undefined;
}

const isTls = ({ protocol }: URL): boolean => /^(https|wss):$/.test(protocol);

/** Undefined if nothing is in between. Throws a {@link UsageError} for a variable that names no proxy. */
export function proxyFor(target: URL, env: Environment = process.env): URL | undefined {
  const found = variable(env, isTls(target) ? 'https_proxy' : 'http_proxy') ?? variable(env, 'all_proxy');
  if (!found || isExempt(target, variable(env, 'no_proxy')?.[1] ?? '')) return undefined;
  return readProxy(...found);
}

function readProxy(name: string, value: string): URL {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const shown = text.replace(/\/\/.*@/, '//');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `${name} is "${shown}", which is no proxy that the agent can use: write it as http://proxy.example.com:3128, or https:// if the proxy itself speaks TLS.`,
    );
  try {
    loginOf(url);
  } catch {
    throw new UsageError(`The login in ${name} has a "%" that encodes nothing: write it as %25.`);
  }
  return url;
}

/** The login in the address of a proxy, for its Basic authentication. */
export function loginOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '');

/** By the rules of curl 7.86 and newer, where an item may name a port, too. */
function isExempt(target: URL, list: string): boolean {
  const host = bare(target.hostname).replace(/\.$/, '').toLowerCase();
  const port = target.port || (isTls(target) ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((item) => item !== '' && isNamed(item, host, port));
}

function isNamed(item: string, host: string, port: string): boolean {
  if (item === '*') return true;
  // An IPv6 address without brackets has colons of its own, and no port.
  const [, name = item, wanted = port] = /^(\[.*\]|[^:]*):(\d+)$/.exec(item) ?? [];
  if (wanted !== port) return false;
  const [network = '', bits] = bare(name).split('/');
  if (isIP(network) || isIP(host)) return isIP(network) > 0 && isIP(host) > 0 && isWithin(host, network, bits);
  const domain = network.replace(/^\*?\./, '').replace(/\.$/, '');
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

const family = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

function isWithin(address: string, network: string, bits: string | undefined): boolean {
  const most = isIPv6(network) ? 128 : 32;
  const length = bits === undefined ? most : Number(bits);
  if (bits === '' || !Number.isInteger(length) || length < 0 || length > most) return false;
  const networks = new BlockList();
  networks.addSubnet(network, length, family(network));
  return networks.check(address, family(address));
}
