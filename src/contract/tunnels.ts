// v1.md, "Tunnels": local services of devices that are reachable from outside. Devices open them; the API lists and
// closes them. Opening them from here is an addition.
import * as z from 'zod/mini';
import { list, optionalNumber, optionalText, pathId, row, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';
import { parseDestination } from '#/contract/tunnel-allowance.ts';

/** `Name` is the identifier. `PublicUrl` may be the text 'N/A'. Optional fields are additions. */
export const tunnel = row(
  z.looseObject({
    Name: z.string().check(z.minLength(1)),
    PublicUrl: text,
    Protocol: text,
    LocalDest: text,
    Created: text,
    Uptime: text,
    /** When it was opened first, to the millisecond; `Created` has minutes. */
    CreatedTime: optionalText,
    /** Who opened it: 'device', or the actor, as in the audit log, with the present name. */
    Source: optionalText,
    SourceName: optionalText,
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

/** How long a tunnel that is opened here stays open unless the request says otherwise, and at most. */
export const USUAL_TUNNEL_MINUTES = 60;
const MAX_TUNNEL_MINUTES = 366 * 24 * 60;

const minutes = z.optional(
  z
    .int('must be a whole number')
    .check(z.gte(1, 'must be at least 1'), z.lte(MAX_TUNNEL_MINUTES, 'must be at most a year')),
);

/**
 * A tunnel to open. Without a Login, anyone who knows the address of an HTTP tunnel can use it. Its password has at least
 * 12 characters, because only a hash is stored, and that must not help to guess it.
 */
export const tunnelDraft = z
  .object({
    DeviceId: z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(255)),
    LocalDest: z.string().check(
      z.maxLength(255),
      z.refine(
        (dest) => parseDestination(dest) !== undefined,
        'must be an address on the device like http://127.0.0.1:3000 or tcp://127.0.0.1:22',
      ),
    ),
    Login: z.optional(
      z.string().check(
        z.maxLength(255),
        // Visitors send it in a header, as RFC 7617 says.
        z.regex(/^[^:\p{Cc}]+:\P{Cc}{12,}$/u, 'must be "user:password", with a password of at least 12 characters'),
      ),
    ),
    IdleMinutes: minutes,
    ExpiresMinutes: minutes,
  })
  .check(
    z.refine(({ Login, LocalDest }) => Login === undefined || /^http:/i.test(LocalDest), {
      error: 'is for http only: the service cannot ask for it on a TCP port',
      path: ['Login'],
    }),
  );
export type TunnelDraft = z.output<typeof tunnelDraft>;

/** The answer does not repeat the login. PublicUrl is 'N/A' for a TCP tunnel, which has a PublicAddr. */
export const newTunnel = z.object({ Name: z.string(), PublicUrl: text, PublicAddr: optionalText });
export type NewTunnel = z.output<typeof newTunnel>;

export const tunnelEndpoints = resource('tunnels', { live: 'flag', id: 'tunnel_id', poll: 5_000 }).operations({
  list: { method: 'GET', path: '/v1/tunnels', permission: 'read', summary: 'List all tunnels', response: list(tunnel) },
  open: {
    method: 'POST',
    path: '/v1/tunnels',
    permission: 'connect',
    addition: true,
    once: true,
    summary: 'Open a tunnel to a destination that the device allows',
    body: tunnelDraft,
    response: newTunnel,
  },
  removeAll: { method: 'DELETE', path: '/v1/tunnels', permission: 'connect', summary: 'Delete all tunnels' },
  remove: {
    method: 'DELETE',
    path: '/v1/tunnels/:tunnel_id',
    permission: 'connect',
    summary: 'Delete the tunnel with this Name',
    params: z.object({ tunnel_id: pathId }),
  },
});
