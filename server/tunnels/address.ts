// The public address of a tunnel. It is never on the dashboard's host, because cookies are shared between all ports of
// a host.
import type { Config } from '../config.ts';

interface Place {
  config: Pick<Config, 'tunnelDomain' | 'tunnelScheme' | 'clusterSecret'>;
  tunnelPort: number;
  publicUrl: string;
}

interface TunnelPlace {
  name: string;
  protocol: 'HTTP' | 'TCP';
  port: number | null;
  /** The address of its agent's node. */
  nodeUrl: string | null;
}

/** The URL of an HTTP tunnel; `host:port` of a TCP tunnel. */
export function tunnelAddress(
  { config: { tunnelDomain, tunnelScheme, clusterSecret }, tunnelPort, publicUrl }: Place,
  { name, protocol, port, nodeUrl }: TunnelPlace,
): string {
  // Names of HTTP tunnels also work below localhost. A TCP tunnel needs a name that resolves to the machine with its
  // port; with several nodes, that is the one that the agent is connected to.
  const shared = tunnelDomain.name === 'localhost' ? new URL(publicUrl).hostname : tunnelDomain.name;
  const machine = clusterSecret !== undefined && nodeUrl ? new URL(nodeUrl).hostname : shared;
  if (protocol === 'TCP') return `${machine}:${port ?? ''}`;
  // With https, visitors connect to a proxy, on the default port unless another one is configured.
  const visitedPort = tunnelDomain.port ?? (tunnelScheme === 'http' ? String(tunnelPort) : '');
  return new URL(`${tunnelScheme}://${name}.${tunnelDomain.name}${visitedPort && `:${visitedPort}`}`).origin;
}
