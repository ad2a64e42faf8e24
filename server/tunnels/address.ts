// The public address of a tunnel: never on the dashboard's host, whose cookies all its ports share.
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
  /** Where the node of its agent is reached. */
  nodeUrl: string | null;
}

/** The URL of an HTTP tunnel; `host:port` of a TCP tunnel. */
export function tunnelAddress(
  { config: { tunnelDomain, tunnelScheme, clusterSecret }, tunnelPort, publicUrl }: Place,
  { name, protocol, port, nodeUrl }: TunnelPlace,
): string {
  // Names of HTTP tunnels work below localhost; a TCP tunnel needs a name that resolves to the machine with its port:
  // of several nodes, to the one that has the agent.
  const shared = tunnelDomain.name === 'localhost' ? new URL(publicUrl).hostname : tunnelDomain.name;
  const machine = clusterSecret !== undefined && nodeUrl ? new URL(nodeUrl).hostname : shared;
  if (protocol === 'TCP') return `${machine}:${port ?? ''}`;
  // With https, visitors reach a proxy, on the default port unless another was configured.
  const visited = tunnelDomain.port ?? (tunnelScheme === 'http' ? String(tunnelPort) : '');
  return new URL(`${tunnelScheme}://${name}.${tunnelDomain.name}${visited && `:${visited}`}`).origin;
}
