// v1.md, "Tunnels": local services of devices that are reachable from outside. Devices open them; the API lists and
// closes them.
import * as z from 'zod/mini';
import { list, optionalNumber, optionalText, pathId, row, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

/** `Name` is the identifier. `PublicUrl` may be the text 'N/A'. Optional fields are additions. */
export const tunnel = row(
  z.looseObject({
    Name: z.string().check(z.minLength(1)),
    PublicUrl: text,
    Protocol: text,
    LocalDest: text,
    Created: text,
    Uptime: text,
    /** For a TCP tunnel: `host:port`. */
    PublicAddr: optionalText,
    DeviceId: optionalText,
    DeviceName: optionalText,
    /** 'Online' or 'Offline': while the device is Offline no connection is possible. */
    DeviceStatus: optionalText,
    /** Currently open: TCP connections, or requests and WebSockets. */
    Connections: optionalNumber,
    /** Bytes of bodies to and from the device since the agent last opened the tunnel. */
    BytesIn: optionalNumber,
    BytesOut: optionalNumber,
    /** The login of an HTTP tunnel: 'Basic' or 'None'. */
    Auth: optionalText,
    /** When the tunnel expires, if set; ISO 8601. */
    ExpiresAt: optionalText,
    /** Seconds without traffic after which the tunnel closes, if set. */
    IdleTimeout: optionalNumber,
  }),
);
export type Tunnel = z.output<typeof tunnel>;

export const tunnelEndpoints = resource('tunnels', { live: 'flag', id: 'tunnel_id', poll: 5_000 }).operations({
  list: { method: 'GET', path: '/v1/tunnels', permission: 'read', summary: 'List all tunnels', response: list(tunnel) },
  removeAll: { method: 'DELETE', path: '/v1/tunnels', permission: 'connect', summary: 'Delete all tunnels' },
  remove: {
    method: 'DELETE',
    path: '/v1/tunnels/:tunnel_id',
    permission: 'connect',
    summary: 'Delete the tunnel with this Name',
    params: z.object({ tunnel_id: pathId }),
  },
});
