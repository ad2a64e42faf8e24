// A whole service as one value: created from the environment, with its address and a close function. main.ts runs it as
// a program; tests, the demo and the benchmarks start it inside their own process.
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import { CARRIER_PATH } from '#/contract/agent-link.ts';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { openContext } from './context.ts';
import type { Context, ContextOptions } from './context.ts';
import { unclearRequest } from './http/unclear-request.ts';
import { refuse } from './http/end-socket.ts';
import { listen, openServer, publicUrlOf, stop } from './http/listen.ts';
import { tooManyOpen } from './http/open-files.ts';
import { openReadiness } from './readiness.ts';
import { openMetricsPort } from './metrics-port.ts';
import type { Operation } from './api/operation.ts';
import { serviceGauges } from './service-metrics.ts';
import type { DiskState } from './store/disk-space.ts';
import { cookieNames } from './auth/session-cookie.ts';
import { openSigninLimit } from './auth/signin-limit.ts';
import { clientAddress } from './http/client-address.ts';
import { openProxyNotice } from './http/proxy-notice.ts';
import { deviceByKey } from './store/devices.ts';
import { isSessionValue } from './store/sessions.ts';
import { tokenHolder } from './store/tokens.ts';
import { tunnelExists } from './store/tunnels.ts';
import { createHttpFront } from './tunnels/http-front.ts';
import { NODE_TUNNEL_PATH } from './tunnels/remote-tunnels.ts';
import { openVisitorLogins, VISITOR_COOKIES } from './tunnels/visitor-logins.ts';

export interface Service {
  /** Its public address, without a trailing slash. */
  url: string;
  /** The port that it listens on, whatever its public address is. */
  port: number;
  /** The account's token, if it is known: AUTH_TOKEN, or the one that this start created. */
  token: string | undefined;
  /** Signs one browser in, within ten minutes. */
  signinLink: string;
  context: Context;
  close(): Promise<void>;
}

const DISK_FAULTS: Partial<Record<DiskState, string>> = {
  Full: 'is full: free space where DATA_DIR is',
  ReadOnly: 'is read-only: make it writable, then restart the service',
};

/**
 * Leaves time for load balancers to read /readyz, and then sends dashboards and agents to other nodes, agents a few at a
 * time. All else is served meanwhile.
 */
async function drain({ config: { drainMs }, traffic, link, events }: Context): Promise<void> {
  if (drainMs === 0) return;
  traffic.drain();
  await sleep(drainMs / 2);
  events.end();
  link.sendAway(drainMs / 2, 'The service is stopping');
  await sleep(drainMs / 2);
}

/** The HTTP front of the tunnels, with what it needs of this service. */
function openTunnelServer({ config, db, tunnels, remoteTunnels, instanceId, clock }: Context): Server {
  const noticeProxy = openProxyNotice(config);
  return createHttpFront({
    domain: config.tunnelDomain.name,
    scheme: config.tunnelScheme,
    find: (name) => tunnels.find(name),
    findElsewhere: async (name) => remoteTunnels?.find(name),
    exists: (name) => tunnelExists(db, name),
    addressOf: (incoming) => {
      noticeProxy(incoming);
      return clientAddress(config, incoming);
    },
    ownCookies: [...cookieNames(instanceId), ...VISITOR_COOKIES],
    logins: openVisitorLogins(
      openSigninLimit(config.signinLimit, clock.steady),
      config.tunnelScheme,
      // Nodes accept each other's cookies.
      config.clusterSecret === undefined ? undefined : `visitor logins ${config.clusterSecret}`,
    ),
    tokenLength: config.authToken?.length,
    isOurs: async (secret) =>
      (await tokenHolder(db, secret, clock.now())) !== undefined ||
      (await deviceByKey(db, secret)) !== undefined ||
      (await isSessionValue(db, secret)),
  });
}

/** Starts a service and resolves once it listens. */
export async function startService(
  env: Record<string, string | undefined>,
  options: ContextOptions = {},
): Promise<Service> {
  const config = readConfig(env);
  const context = await openContext(config, options);
  let opened: Awaited<ReturnType<typeof openServer>>;
  let stopMetrics: () => Promise<void>;
  const tunnelServer = openTunnelServer(context);
  try {
    await listen(tunnelServer, config.host, config.tunnelPort, 'TUNNEL_PORT');
    context.tunnelPort = (tunnelServer.address() as AddressInfo).port;
    const operation: Operation = {
      gauges: serviceGauges(context),
      readiness: openReadiness({
        db: context.db,
        diskFault: () => DISK_FAULTS[context.disk.state()],
        artifactFault: () => context.files.problem(),
        isStopping: () => context.traffic.isDraining,
      }),
    };
    opened = await openServer(config, createApp(context, operation), context.agentRequests);
    stopMetrics = await openMetricsPort(config, context, operation);
  } catch (cause) {
    tunnelServer.close();
    await context.close();
    throw cause;
  }
  const { server, port, publicUrl } = opened;
  server.on('upgrade', (request, socket, head) => {
    const { tunnels, link, remoteTunnels } = context;
    const unclear = unclearRequest(request) ?? tooManyOpen(socket);
    if (unclear) return refuse(socket, unclear);
    const path = request.url?.split('?')[0];
    if (path === NODE_TUNNEL_PATH && remoteTunnels) remoteTunnels.upgrade(request, socket, head);
    else (path === CARRIER_PATH ? tunnels : link).upgrade(request, socket, head);
  });
  context.publicUrl = publicUrl;
  context.nodeUrl = config.nodeUrl ?? publicUrlOf({ ...config, publicUrl: undefined }, port);
  await context.cluster.listening(context.nodeUrl);
  return {
    url: context.publicUrl,
    port,
    token: config.authToken ?? context.startup.createdToken,
    signinLink: `${context.publicUrl}/sign-in#code=${context.startup.signinCode}`,
    context,
    close: async () => {
      await drain(context);
      context.traffic.stop();
      context.events.end();
      // The server cannot end before the agents' connections.
      await context.tunnels.close();
      await Promise.all([opened.stop(), stop(tunnelServer), stopMetrics(), context.link.close()]);
      await context.close();
    },
  };
}
