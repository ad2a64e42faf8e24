// The public address of a tunnel: never on the dashboard's host, whose cookies all its ports share.
import type { Config } from '../config.ts';

interface Place {
  config: Pick<Config, 'tunnelDomain' | 'tunnelScheme'>;
  tunnelPort: number;
  publicUrl: string;
}

/** The URL of an HTTP tunnel; `host:port` of a TCP tunnel. */
export function tunnelAddress(
  { config: { tunnelDomain, tunnelScheme }, tunnelPort, publicUrl }: Place,
  { name, protocol, port }: { name: string; protocol: 'HTTP' | 'TCP'; port: number | null },
): string {
  // Names of HTTP tunnels work below localhost; a TCP tunnel needs a name that resolves to this machine.
  const machine = tunnelDomain.name === 'localhost' ? new URL(publicUrl).hostname : tunnelDomain.name;
  if (protocol === 'TCP') return `${machine}:${port ?? ''}`;
  // With https, visitors reach a proxy, on the default port unless another was configured.
  const visited = tunnelDomain.port ?? (tunnelScheme === 'http' ? String(tunnelPort) : '');
  return new URL(`${tunnelScheme}://${name}.${tunnelDomain.name}${visited && `:${visited}`}`).origin;
}
