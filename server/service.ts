// A whole service as one value: environment in, address and close out. main.ts prints around it; tests, the demo and
// the benchmarks start it inside their own process.
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { getRequestListener } from '@hono/node-server';
import { createApp } from './app.ts';
import { ConfigError, readConfig } from './config.ts';
import type { Config } from './config.ts';
import { openContext } from './context.ts';
import type { Context } from './context.ts';

export interface Service {
  /** Where it is reached, without a trailing slash. */
  url: string;
  /** Where it listens, whatever its public address is. */
  port: number;
  /** The account's token, where it is known: AUTH_TOKEN, or the one just made. */
  token: string | undefined;
  /** Signs a browser in, once, within ten minutes. */
  signinLink: string;
  context: Context;
  close(): Promise<void>;
}

/** Starts a service and resolves once it listens. */
export async function startService(
  env: Record<string, string | undefined>,
  { now }: { now?: () => number } = {},
): Promise<Service> {
  const config = readConfig(env);
  const context = await openContext(config, now ? { now } : {});
  const listener = getRequestListener(createApp(context).fetch, { overrideGlobalObjects: true });
  let server: Server;
  try {
    server = makeServer(config, (incoming, outgoing) => void listener(incoming, outgoing));
    server.on('upgrade', (request, socket, head) => context.link.upgrade(request, socket, head));
    await listen(server, config);
  } catch (cause) {
    await context.close();
    throw cause;
  }
  const { port } = server.address() as AddressInfo;
  context.publicUrl = config.publicUrl ?? guessPublicUrl(config, port);
  return {
    url: context.publicUrl,
    port,
    token: config.authToken ?? context.startup.madeToken,
    signinLink: `${context.publicUrl}/sign-in#code=${context.startup.signinCode}`,
    context,
    close: async () => {
      // The agents' connections are the server's too: it cannot end before they do.
      await Promise.all([stop(server), context.link.close()]);
      await context.close();
    },
  };
}

function makeServer({ tls }: Config, listener: RequestListener): Server {
  const limits = { headersTimeout: 20_000, requestTimeout: 300_000, keepAliveTimeout: 65_000 };
  if (!tls) return createServer(limits, listener);
  try {
    return createTlsServer({ ...tls, ...limits }, listener);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`TLS_CERT and TLS_KEY do not hold a certificate and its key in PEM form: ${why}.`);
  }
}

function listen(server: Server, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const said: Record<string, string> = {
        EADDRINUSE: `Port ${port} on ${host} is in use: stop the program that has it, or choose another with PORT.`,
        EACCES: `Port ${port} is reserved for the system: choose one above 1023 with PORT.`,
        EADDRNOTAVAIL: `HOST is "${host}", which is not an address of this machine.`,
        ENOTFOUND: `HOST is "${host}", which is not a name this machine knows.`,
      };
      reject(said[cause.code ?? ''] ? new ConfigError(said[cause.code ?? '']) : cause);
    });
    server.listen(port, host, resolve);
  });
}

/** Without PUBLIC_URL: the listening address; where that means "all addresses", this machine's first one. */
function guessPublicUrl({ host, tls }: Config, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  const name = everywhere ? (outside ?? '127.0.0.1') : host.includes(':') ? `[${host}]` : host;
  return new URL(`${tls ? 'https' : 'http'}://${name}:${port}`).origin;
}

/** Lets requests that are under way finish, within reason. */
function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const impatient = setTimeout(() => server.closeAllConnections(), 5_000);
    server.close(() => {
      clearTimeout(impatient);
      resolve();
    });
    server.closeIdleConnections();
  });
}
