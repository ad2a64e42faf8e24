// v1.md, "Tunnels": listing and closing them. Agents open them.
import type { Tunnel, tunnelEndpoints } from '#/contract/tunnels.ts';
import { printTunnelTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import type { Actor } from '../store/caller.ts';
import type { Handlers } from '../http/implement.ts';
import type { Tx } from '../store/database.ts';
import { scopeOf } from '../store/scope.ts';
import { deleteTunnel, deleteTunnels, listTunnels } from '../store/tunnels.ts';
import type { DeletedTunnel, StoredTunnel } from '../store/tunnels.ts';
import { tunnelAddress } from '../tunnels/address.ts';

const NOT_APPLICABLE = 'N/A';

/**
 * '3d 4h', '2h 5m', '7m', '<1m'. Without seconds, because a list that changes every second could never be "not
 * modified".
 */
export function uptimeText(milliseconds: number): string {
  const minutes = Math.max(0, Math.floor(milliseconds / 60_000));
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  if (days > 0) return `${days}d ${hours}h`;
  if (hours > 0) return `${hours}h ${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m` : '<1m';
}

export function tunnelRoutes(context: Context): Handlers<typeof tunnelEndpoints> {
  const { db, audit, tunnels, now } = context;

  const shown = (tunnel: StoredTunnel): Tunnel => {
    const { connections, bytesIn, bytesOut } = tunnels.find(tunnel.name) ?? tunnel;
    return {
      Name: tunnel.name,
      PublicUrl: tunnel.protocol === 'HTTP' ? tunnelAddress(context, tunnel) : NOT_APPLICABLE,
      Protocol: tunnel.protocol,
      LocalDest: tunnel.localDest,
      Created: printTunnelTime(new Date(tunnel.created)),
      Uptime: tunnel.connected === null ? NOT_APPLICABLE : uptimeText(now() - tunnel.connected),
      ...(tunnel.port !== null && { PublicAddr: tunnelAddress(context, tunnel) }),
      DeviceId: tunnel.deviceId,
      DeviceName: tunnel.deviceName,
      DeviceStatus: tunnel.deviceOnline ? 'Online' : 'Offline',
      Connections: connections,
      BytesIn: bytesIn,
      BytesOut: bytesOut,
      ...(tunnel.protocol === 'HTTP' && { Auth: tunnel.login ? 'Basic' : 'None' }),
      ...(tunnel.expires !== null && { ExpiresAt: new Date(tunnel.expires).toISOString() }),
      ...(tunnel.idleSeconds !== null && { IdleTimeout: tunnel.idleSeconds }),
    };
  };

  // Records the device too, so that its timeline shows the entry.
  const recordRemoved = (tx: Tx, caller: Actor, { name, deviceId }: DeletedTunnel) =>
    audit.record(tx, caller, 'tunnel.remove', `${name} ${deviceId}`);

  return {
    list: async (request) => (await listTunnels(db, scopeOf(request))).map(shown),

    removeAll: (request) =>
      db.write(
        async (tx) => {
          const deleted = await deleteTunnels(tx, scopeOf(request));
          await audit.record(tx, request, 'tunnel.remove-all', String(deleted.length));
          for (const tunnel of deleted) await recordRemoved(tx, request, tunnel);
        },
        { essential: true },
      ),

    remove: (request) =>
      db.write(
        async (tx) => {
          await recordRemoved(tx, request, await deleteTunnel(tx, scopeOf(request), request.params.tunnel_id));
        },
        { essential: true },
      ),
  };
}
