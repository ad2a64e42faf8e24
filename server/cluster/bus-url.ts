// The server for messages between nodes, if not PostgreSQL: BUS_URL.
import { ConfigError } from '../config-error.ts';

/** The errors do not repeat the value, which may contain a password. */
export function readBusUrl(text: string | undefined): URL | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const url = URL.parse(text.trim());
  if (!url || !/^(nats|tls):$/.test(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname))
    throw new ConfigError('BUS_URL must be the address of a NATS server, like nats://user:password@host:4222.');
  if (url.search || url.hash)
    throw new ConfigError('BUS_URL has a "?" or "#": in a user or password write %3F or %23.');
  if (url.password && !url.username) throw new ConfigError('BUS_URL has a password, but no user before it.');
  try {
    credentialsOf(url);
  } catch {
    throw new ConfigError('BUS_URL has a "%" in its user or password that is no escape: write %25.');
  }
  return url;
}

/** A user without a password is a token. https://docs.nats.io/using-nats/developer/connecting/token */
export function credentialsOf({ username, password }: URL): { user: string; pass: string } | { token: string } | {} {
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
  if (pass !== '') return { user, pass };
  return user === '' ? {} : { token: user };
}
