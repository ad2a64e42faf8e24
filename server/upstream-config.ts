// What the environment says of the service behind a gateway: its address, and how its devices are installed.
import { ConfigError } from './config-error.ts';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The address that receives the tokens of all users of this gateway: over TLS, unless it is on this machine. */
export function readUpstreamUrl(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new ConfigError(
      `UPSTREAM_URL is "${text}", but it must be the https base address of a /v1 service, like https://api.example.com.`,
    );
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new ConfigError(
      `UPSTREAM_URL is "${text}", but tokens must not travel unencrypted: use https (http is for this machine only).`,
    );
  if (/\/v1\/?$/.test(url.pathname))
    throw new ConfigError(`UPSTREAM_URL is "${text}", but /v1 is added to it: leave that out.`);
  return url;
}

export function readInstallCommand(line: string | undefined, upstream: string | undefined): string | undefined {
  if (line === undefined) return undefined;
  if (upstream === undefined)
    throw new ConfigError(
      'INSTALL_COMMAND is set, but UPSTREAM_URL is not: devices of this service have its own command.',
    );
  // The key is inserted with quotes if it needs them, so there must be none around it.
  if (!line.includes('{key}') || /['"`]\{key\}|\{key\}['"`]|\n/.test(line))
    throw new ConfigError(
      'INSTALL_COMMAND must be one line that holds {key} without quotes round it, like: curl -fsSL https://example.com/install | sh -s -- {key}',
    );
  return line;
}
