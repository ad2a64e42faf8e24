// The last routes of the API: an unknown path below /v1 must be an error, not the dashboard's page with a 200.
import { routesOf } from '#/contract/endpoint.ts';
import type { Group } from '#/contract/endpoint.ts';
import { CARRIER_PATH, LINK_PATH } from '#/contract/agent-link.ts';
import type { App } from './implement.ts';
import { Problem } from './problem.ts';

/** Registers 405 for paths with other methods, and 404 for the rest of /v1. */
export function refuseUnknownPaths(app: App, groups: Group[]): void {
  const rows = groups.flatMap((group) => Object.values(group));
  const patterns = rows.flatMap(routesOf).map(({ method, path }) => ({
    method,
    // A value is any text without a slash.
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`),
  }));
  const refuse = (asked: string): never => {
    const methods = [...new Set(patterns.filter(({ pattern }) => pattern.test(asked)).map(({ method }) => method))];
    if (methods.length === 0) throw new Problem(404, 'Not found', `The API has nothing at ${asked}.`);
    throw new Problem(405, 'Method not allowed', `${asked} takes ${methods.join(', ')}.`, {
      headers: { Allow: methods.join(', ') },
    });
  };
  app.all('/v1', (http) => refuse(http.req.path));
  app.all('/v1/*', (http) => refuse(http.req.path));
  app.all('/auth/*', (http) => {
    throw new Problem(404, 'Not found', `There is nothing at ${http.req.path}.`);
  });
}

/**
 * Registers 426 for the addresses of WebSockets (RFC 9110, section 15.5.22): whoever asks for them in a plain request is a
 * person, or an agent whose upgrade was lost in a proxy on the way.
 */
export function requireUpgrade(app: App): void {
  for (const path of [LINK_PATH, CARRIER_PATH])
    app.all(path, (http) => {
      throw new Problem(
        426,
        'This address is a WebSocket',
        `Agents connect to ${http.req.path} with the headers "Connection: Upgrade" and "Upgrade: websocket". If an agent sent this request, a proxy in front of the service took them out: let it pass upgrades.`,
        // Node would keep a connection open that the client wants closed, because its own "close" is replaced.
        { headers: { Connection: 'Upgrade, close', Upgrade: 'websocket' } },
      );
    });
}
