// v1.md, "Tunnels": listing and closing them. Agents open them, and people do where the agent allows the destination.
import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { speaksHttp } from '#/contract/agent-http.ts';
import { MAX_TUNNELS } from '#/contract/agent-link.ts';
import { ALLOWS_NONE, allows, parseAllowance, parseDestination } from '#/contract/tunnel-allowance.ts';
import { USUAL_TUNNEL_MINUTES } from '#/contract/tunnels.ts';
import type { NewTunnel, Tunnel, tunnelEndpoints } from '#/contract/tunnels.ts';
import { printTunnelTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import type { Actor } from '../store/caller.ts';
import type { Handlers } from '../http/implement.ts';
import type { Tx } from '../store/database.ts';
import { scopeOf } from '../store/scope.ts';
import { Conflict, InvalidInput, LimitReached, Unavailable } from '../store/errors.ts';
import { allowanceOf, deviceById } from '../store/devices.ts';
import type { DeviceRow } from '../store/devices.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import { runOnce } from '../store/submissions.ts';
import {
  countTunnels,
  deleteTunnel,
  deleteTunnels,
  isPortOfTunnel,
  listTunnels,
  requestedTo,
  requestedTunnel,
  requestTunnel,
} from '../store/tunnels.ts';
import type { DeletedTunnel, StoredTunnel } from '../store/tunnels.ts';
import { tunnelAddress } from '../tunnels/address.ts';
import { actorNames } from './audit-names.ts';

const NOT_APPLICABLE = 'N/A';
/** How long the answer waits for the agent's node, so that the address works as soon as it is known. */
const CONNECT_MS = 5_000;
const CONNECT_STEP_MS = 20;

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

  const shown = (tunnel: StoredTunnel, names: Map<string, string>): Tunnel => {
    const { connections, bytesIn, bytesOut } = tunnels.find(tunnel.name) ?? tunnel;
    return {
      Name: tunnel.name,
      PublicUrl: tunnel.protocol === 'HTTP' ? tunnelAddress(context, tunnel) : NOT_APPLICABLE,
      Protocol: tunnel.protocol,
      LocalDest: tunnel.localDest,
      Created: printTunnelTime(new Date(tunnel.created)),
      CreatedTime: new Date(tunnel.created).toISOString(),
      ...(tunnel.requested === 0
        ? { Source: 'device' }
        : tunnel.openedBy && { Source: tunnel.openedBy, SourceName: names.get(tunnel.openedBy) ?? '' }),
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

  /** Refuses what the device does not allow. The agent would refuse it too; here the answer says what to do. */
  const requireAllowed = async (tx: Tx, device: DeviceRow, localDest: string) => {
    const { agentVersion, allowed: said } = await allowanceOf(tx, device.seq);
    if (speaksHttp(agentVersion))
      throw new Conflict(
        `"${device.name}" has no tunnels`,
        'Its agent speaks HTTP, which carries jobs and facts only. The agent for Node.js has tunnels: install that one with install.sh, if the device can run it.',
      );
    const allowed = said || ALLOWS_NONE;
    const allowance = parseAllowance(allowed);
    const destination = parseDestination(localDest);
    if (allowance && destination && allows(allowance, destination)) return;
    throw new Conflict(
      `"${device.name}" does not allow tunnels to ${localDest}`,
      `${allowed === ALLOWS_NONE ? 'Its agent allows none to be opened from here' : `Its agent allows only: ${allowed}`}. Only the device itself can change that: run "sh /opt/muster/*/muster-agent allow-tunnels loopback" there as root, for its own ports, or name the address in place of "loopback". An older agent must first be renewed with install.sh --update.`,
    );
  };

  return {
    open: async (request) => {
      const { DeviceId, LocalDest, Login, IdleMinutes, ExpiresMinutes = USUAL_TUNNEL_MINUTES } = request.body;
      const accountId = request.account.id;
      const scope = scopeOf(request);
      const destination = parseDestination(LocalDest);
      if (!destination) throw new InvalidInput('The destination is not valid', LocalDest);
      const { protocol, dest: localDest } = destination;
      const loginHash = Login === undefined ? '' : hash('sha256', Login, 'hex');
      // The login itself is stored nowhere, not even as part of a digest.
      const content = { DeviceId, localDest, loginHash, IdleMinutes, ExpiresMinutes };
      const key = idempotencyKey(request.http);
      const port = protocol === 'TCP' ? await tunnels.freePort() : undefined;
      const { id: name } = await db.write((tx) =>
        runOnce(tx, { accountId, key, content }, now(), async () => {
          const device = await deviceById(tx, scope, DeviceId);
          await requireAllowed(tx, device, localDest);
          const deviceSeq = device.seq;
          const known = await requestedTo(tx, { deviceSeq, protocol, localDest });
          if (known)
            throw new Conflict(
              'There is a tunnel to it already',
              `"${known.name}" leads to ${localDest} on this device: use it, or close it first.`,
            );
          const count = await countTunnels(tx, deviceSeq);
          if (count.requested >= MAX_TUNNELS)
            throw new LimitReached(
              'This device has the most tunnels that one may have',
              `${MAX_TUNNELS} are open: close one first.`,
            );
          if (protocol === 'TCP' && count.ports >= tunnels.portShare)
            throw new LimitReached(
              'This device has the most TCP tunnels that one may have',
              `${tunnels.portShare} have a port (TUNNEL_TCP_PORTS_PER_DEVICE): close one first.`,
            );
          if (protocol === 'TCP' && (port === undefined || (await isPortOfTunnel(tx, port))))
            throw new Unavailable(
              'The service has no port left for it',
              'Close a TCP tunnel, or raise TUNNEL_TCP_PORTS.',
              {
                retryAfterSeconds: 1,
              },
            );
          const expires = now() + ExpiresMinutes * 60_000;
          const idleSeconds = IdleMinutes === undefined ? undefined : IdleMinutes * 60;
          const draft = {
            accountId,
            deviceSeq,
            protocol,
            localDest,
            port,
            loginHash,
            idleSeconds,
            expires,
            openedBy: request.actor,
          };
          const opened = await requestTunnel(tx, draft, now());
          await audit.record(tx, request, 'tunnel.open', `${opened} ${device.id}`);
          return opened;
        }),
      );
      for (const until = performance.now() + CONNECT_MS; ;) {
        const opened = await requestedTunnel(db, scope, name);
        if (!opened)
          throw new Conflict('This tunnel is closed', 'This request opened it before, and it was closed since.');
        if (opened.connected === null && opened.online && performance.now() < until) {
          await wait(CONNECT_STEP_MS);
          continue;
        }
        const address = tunnelAddress(context, { ...opened, name });
        const answer: NewTunnel =
          protocol === 'HTTP'
            ? { Name: name, PublicUrl: address }
            : { Name: name, PublicUrl: NOT_APPLICABLE, PublicAddr: address };
        return answer;
      }
    },

    list: async (request) => {
      const rows = await listTunnels(db, scopeOf(request));
      const actors = rows.flatMap(({ openedBy }) => openedBy || []);
      const names = await actorNames(db, request.account.id, actors);
      return rows.map((row) => shown(row, names));
    },

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
