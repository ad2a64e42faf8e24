// Reads and checks the environment: an invalid value stops the start with one sentence that names it.
import { isIP, isIPv6 } from 'node:net';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ipaddr from 'ipaddr.js';
import { ARTIFACT_BYTES_LIMIT } from '#/contract/limits.ts';
import { readAlertConfig, type AlertConfig } from './alert-config.ts';
import { ConfigError } from './config-error.ts';
import { readOidcConfig, type OidcConfig } from './oidc-config.ts';
import { readInstallCommand, readUpstreamUrl } from './upstream-config.ts';
import type { LogFormat } from './operation/log.ts';
import { readBusUrl } from './cluster/bus-url.ts';
import { readDatabaseUrl } from './database-url.ts';
import { readS3Config, type S3Config } from './s3-config.ts';

export interface Config {
  host: string;
  /** 0 lets the system choose (tests). */
  port: number;
  dataDir: string;
  /** The PostgreSQL database; undefined: the embedded one in dataDir. */
  databaseUrl: URL | undefined;
  /** Lets nodes of one database recognise each other. */
  clusterSecret: string | undefined;
  /** Seals the key that signs updates of agents. */
  updateKeySecret: string | undefined;
  /** Where other nodes reach this one; undefined: its listening address. */
  nodeUrl: string | undefined;
  /** How long a service that is stopped sends its agents elsewhere before it refuses requests. */
  drainMs: number;
  /** Messages between nodes go through this NATS server; undefined: through PostgreSQL. */
  busUrl: URL | undefined;
  authToken: string | undefined;
  accountEmail: string;
  maxDevices: number;
  /** An artifact must be smaller than this many bytes. */
  artifactMax: number;
  /** Bytes of artifacts that an account may store. */
  artifactQuota: number;
  /** Artifacts are in this store instead of in dataDir. */
  artifactStore: S3Config | undefined;
  /** Bytes of job output that an account may store. */
  outputQuota: number;
  /** Days after which output is removed; undefined: never. */
  outputDays: number | undefined;
  /** For how many days the history of states is kept. */
  historyDays: number;
  /** Origin for users, browsers and devices; undefined: derived from the listening address. */
  publicUrl: string | undefined;
  isTrustedProxy: (address: string) => boolean;
  /** Whether TRUSTED_PROXY is set. */
  trustsProxy: boolean;
  tls: { cert: string; key: string } | undefined;
  /** Failed sign-ins per minute and address. */
  signinLimit: number;
  /** Port of HTTP tunnels; 0 lets the system choose. */
  tunnelPort: number;
  /** Base address of the upstream service of a gateway; undefined: this is a service of its own. */
  upstreamUrl: URL | undefined;
  /** Command that installs a device of that service, with `{key}` for its key. */
  installCommand: string | undefined;
  /** HTTP tunnels are hosts below it; with a port if visitors use another one than tunnelPort. */
  tunnelDomain: { name: string; port: string | undefined };
  /** https: a proxy in front of tunnelPort ends TLS. */
  tunnelScheme: 'http' | 'https';
  /** Ports for TCP tunnels, and how many of them one device may have. */
  tunnelTcpPorts: { first: number; last: number; perDevice: number };
  /** Tiles instead of the built-in base map. */
  mapTiles: { url: string; attribution: string } | undefined;
  /** Scheduled backups. */
  backups: { folder: string; everyMs: number; most: number } | undefined;
  /** A separate port for /metrics, without a token. */
  metricsPort: number | undefined;
  alerts: AlertConfig;
  /** The identity provider; undefined: none. */
  oidc: OidcConfig | undefined;
}

const MB = 1024 * 1024;

type Environment = Record<string, string | undefined>;

export function readConfig(env: Environment): Config {
  const value = (name: string) => env[name]?.trim() || undefined;
  const whole = (name: string, otherwise: number, least: number, most: number) => {
    const text = value(name);
    if (text === undefined) return otherwise;
    const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= least && number <= most))
      throw new ConfigError(`${name} is "${text}", but it must be a whole number from ${least} to ${most}.`);
    return number;
  };

  const accountEmail = value('ACCOUNT_EMAIL') ?? 'operator@localhost';
  if (!/^[^\s@]+@[^\s@]+$/.test(accountEmail) || accountEmail.length > 254)
    throw new ConfigError(`ACCOUNT_EMAIL is "${accountEmail}", but it must be an e-mail address like you@example.com.`);

  const port = whole('PORT', 8080, 0, 65_535);
  const artifactMaxMb = whole('ARTIFACT_MAX_MB', ARTIFACT_BYTES_LIMIT / MB, 1, 10_240);
  return {
    host: readHost(value('HOST') ?? '127.0.0.1'),
    port,
    dataDir: path.resolve(value('DATA_DIR') ?? './data'),
    databaseUrl: readDatabaseUrl(value('DATABASE_URL')),
    clusterSecret: readSecret('CLUSTER_SECRET', value('CLUSTER_SECRET')),
    updateKeySecret: readSecret('UPDATE_KEY_SECRET', value('UPDATE_KEY_SECRET')),
    nodeUrl: readOrigin('NODE_URL', value('NODE_URL'), 'http://10.0.0.2:8080'),
    drainMs: whole('DRAIN_SECONDS', 0, 0, 600) * 1000,
    busUrl: readBusUrl(value('BUS_URL')),
    authToken: readToken(value('AUTH_TOKEN')),
    accountEmail,
    maxDevices: whole('MAX_DEVICES', 10_000, 1, 10_000_000),
    artifactMax: artifactMaxMb * MB,
    artifactQuota: whole('ARTIFACT_QUOTA_MB', Math.max(1024, 10 * artifactMaxMb), 1, 100_000_000) * MB,
    artifactStore: readS3Config(value),
    outputQuota: whole('JOB_OUTPUT_MB', 10_240, 1, 100_000_000) * MB,
    historyDays: whole('HISTORY_DAYS', 90, 1, 36_500),
    outputDays: value('JOB_OUTPUT_DAYS') === undefined ? undefined : whole('JOB_OUTPUT_DAYS', 1, 1, 36_500),
    publicUrl: readOrigin('PUBLIC_URL', value('PUBLIC_URL'), 'https://muster.example.com'),
    isTrustedProxy: readProxies(value('TRUSTED_PROXY')),
    trustsProxy: value('TRUSTED_PROXY') !== undefined,
    tls: readTls(value('TLS_CERT'), value('TLS_KEY')),
    signinLimit: whole('SIGNIN_LIMIT', 10, 1, 1_000_000),
    upstreamUrl: readUpstreamUrl(value('UPSTREAM_URL')),
    installCommand: readInstallCommand(value('INSTALL_COMMAND'), value('UPSTREAM_URL')),
    // If any port will do for the service, so it does for its tunnels: tests run side by side.
    tunnelPort: whole('TUNNEL_PORT', port === 0 ? 0 : 8081, 0, 65_535),
    tunnelDomain: readTunnelDomain(value('TUNNEL_DOMAIN') ?? 'localhost'),
    tunnelScheme: readScheme(value('TUNNEL_SCHEME') ?? 'http'),
    tunnelTcpPorts: {
      ...readPortRange(value('TUNNEL_TCP_PORTS') ?? '20000-20999'),
      perDevice: whole('TUNNEL_TCP_PORTS_PER_DEVICE', 20, 1, 100),
    },
    mapTiles: readMapTiles(value('MAP_TILES_URL'), value('MAP_ATTRIBUTION')),
    backups: readBackups(value('BACKUP_DIR'), value('BACKUP_EVERY'), whole('BACKUP_KEEP', 7, 1, 10_000)),
    alerts: readAlertConfig(value),
    oidc: readOidcConfig(value),
    metricsPort: value('METRICS_PORT') === undefined ? undefined : whole('METRICS_PORT', 0, 0, 65_535),
  };
}

function readHost(host: string): string {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (!isIP(bare) && !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(bare))
    throw new ConfigError(
      `HOST is "${host}", but it must be an address or a name to listen on, like 127.0.0.1 or 0.0.0.0.`,
    );
  return bare;
}

function readTunnelDomain(text: string): Config['tunnelDomain'] {
  const [, name, port] = /^([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (name === undefined || isIP(name) || name.includes('..'))
    throw new ConfigError(
      `TUNNEL_DOMAIN is "${text}", but it must be a domain whose subdomains lead here, like tunnels.example.com.`,
    );
  return { name: name.toLowerCase(), port };
}

function readScheme(text: string): Config['tunnelScheme'] {
  if (text !== 'http' && text !== 'https')
    throw new ConfigError(`TUNNEL_SCHEME is "${text}", but it must be http or https.`);
  return text;
}

function readPortRange(text: string): { first: number; last: number } {
  const [first = 0, last = 0] = /^\d{1,5}-\d{1,5}$/.test(text) ? text.split('-').map(Number) : [];
  if (!(first >= 1 && first <= last && last <= 65_535))
    throw new ConfigError(`TUNNEL_TCP_PORTS is "${text}", but it must be a range of ports like 20000-20999.`);
  return { first, last };
}

function readToken(token: string | undefined): string | undefined {
  // RFC 6750, section 2.1: what an Authorization header may contain. The error does not repeat the value, which is
  // secret.
  if (token !== undefined && !/^[\w.~+/-]+=*$/.test(token))
    throw new ConfigError(
      'AUTH_TOKEN holds characters that do not fit in an Authorization header: use letters, digits and - . _ ~ + / only.',
    );
  return token;
}

function readOrigin(name: string, text: string | undefined, example: string): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password;
  if (!plain || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new ConfigError(
      `${name} is "${text}", but it must be an http or https address without a path, like ${example}.`,
    );
  return url.origin;
}

const MIN_SECRET_LENGTH = 32;

/** The error does not repeat the value, which is secret. */
function readSecret(name: string, secret: string | undefined): string | undefined {
  if (secret !== undefined && secret.length < MIN_SECRET_LENGTH)
    throw new ConfigError(
      `${name} is short enough to be guessed: use at least ${MIN_SECRET_LENGTH} random characters, the same on each node.`,
    );
  return secret;
}

function readMapTiles(url: string | undefined, attribution: string | undefined): Config['mapTiles'] {
  if (url === undefined) {
    if (attribution === undefined) return undefined;
    throw new ConfigError('MAP_ATTRIBUTION is set, but MAP_TILES_URL is not: it names where those tiles come from.');
  }
  const raster = ['{z}', '{x}', '{y}'].every((part) => url.includes(part));
  const parsed = URL.parse(url);
  const plain = parsed && /^https?:\/\//i.test(url) && !/[\s;,']/.test(url) && !parsed.username && !parsed.password;
  // The page's policy could not name a host with a placeholder.
  if (!plain || /[{}]|%7b/i.test(parsed.host) || !(raster || parsed.pathname.endsWith('.pmtiles')))
    throw new ConfigError(
      `MAP_TILES_URL is "${url}", but it must be an http or https address that holds {z}, {x} and {y} or ends in .pmtiles, like https://tiles.example.com/{z}/{x}/{y}.png.`,
    );
  return { url, attribution: attribution ?? '' };
}

const SPANS = new Map(Object.entries<number>({ m: 60_000, h: 3_600_000, d: 86_400_000 }));

function readBackups(folder: string | undefined, every: string | undefined, most: number): Config['backups'] {
  if (folder === undefined) {
    if (every === undefined) return undefined;
    throw new ConfigError('BACKUP_EVERY is set, but BACKUP_DIR is not: it names the folder that backups go to.');
  }
  const [, number = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(every ?? '24h') ?? [];
  const everyMs = Number(number) * (SPANS.get(unit) ?? 0);
  if (!(everyMs > 0))
    throw new ConfigError(`BACKUP_EVERY is "${every}", but it must be a number of minutes, hours or days, like 24h.`);
  return { folder: path.resolve(folder), everyMs, most };
}

/** Read first, because errors in all other values are logged in this format. */
export function readLogFormat({ LOG_FORMAT }: Environment): LogFormat {
  const text = LOG_FORMAT?.trim() || 'text';
  if (text !== 'text' && text !== 'json')
    throw new ConfigError(`LOG_FORMAT is "${text}", but it must be text or json.`);
  return text;
}

/** Addresses and networks, separated by commas; `loopback` names this machine. */
function readProxies(text: string | undefined): (address: string) => boolean {
  if (text === undefined) return () => false;
  const items = text.split(',').map((part) => part.trim());
  const networks = items
    .flatMap((item) => (item === 'loopback' ? ['127.0.0.0/8', '::1/128'] : [item]))
    .map((item) => {
      const network = item.includes('/') ? item : `${item}/${isIPv6(item) ? 128 : 32}`;
      if (!ipaddr.IPv4.isValidCIDRFourPartDecimal(network) && !ipaddr.IPv6.isValidCIDR(network))
        throw new ConfigError(
          `TRUSTED_PROXY holds "${item}", but it must be addresses or networks separated by commas, like 10.0.0.2 or 10.0.0.0/8, or the word loopback.`,
        );
      return ipaddr.parseCIDR(network);
    });
  return (address) => {
    if (!isIP(address)) return false;
    const parsed = ipaddr.parse(address);
    return networks.some((network) => parsed.kind() === network[0].kind() && parsed.match(network));
  };
}

function readTls(certFile: string | undefined, keyFile: string | undefined): Config['tls'] {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    throw new ConfigError('TLS_CERT and TLS_KEY belong together, but only one of them is set.');
  const read = (name: string, file: string) => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      throw new ConfigError(`${name} is "${file}", but that file cannot be read.`);
    }
  };
  return { cert: read('TLS_CERT', certFile), key: read('TLS_KEY', keyFile) };
}
