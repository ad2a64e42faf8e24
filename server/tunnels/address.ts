// How a tunnel's address outside is written: never on the dashboard's host, whose cookies all its ports share.
import type { Config } from '../config.ts';

interface Place {
  config: Pick<Config, 'tunnelDomain' | 'tunnelScheme'>;
  tunnelPort: number;
  publicUrl: string;
}

/** Of an HTTP tunnel its URL, of a TCP tunnel `host:port`. */
export function tunnelAddress(
  { config: { tunnelDomain, tunnelScheme }, tunnelPort, publicUrl }: Place,
  { name, protocol, port }: { name: string; protocol: 'HTTP' | 'TCP'; port: number | null },
): string {
  // localhost is where names of HTTP tunnels work by themselves; a TCP tunnel needs a name that leads to the machine.
  const machine = tunnelDomain.name === 'localhost' ? new URL(publicUrl).hostname : tunnelDomain.name;
  if (protocol === 'TCP') return `${machine}:${port ?? ''}`;
  // With https it is a proxy that visitors reach, on the port that goes without saying unless another was given.
  const visited = tunnelDomain.port ?? (tunnelScheme === 'http' ? String(tunnelPort) : '');
  return new URL(`${tunnelScheme}://${name}.${tunnelDomain.name}${visited && `:${visited}`}`).origin;
}
