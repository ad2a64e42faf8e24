// Puts the parts together into one application. Binds no port and opens nothing: the context is handed in.
import path from 'node:path';
import { Hono } from 'hono';
import type { Context as HonoContext } from 'hono';
import { accountEndpoints } from '#/contract/account.ts';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { tagEndpoints } from '#/contract/tags.ts';
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { workflowEndpoints } from '#/contract/workflows.ts';
import type { Context } from './context.ts';
import { openDoor } from './gateway/door.ts';
import { loopbackRedirect } from './gateway/loopback-redirect.ts';
import { sessionRoutes } from './gateway/sessions.ts';
import { setSecurityHeaders } from './gateway/security-headers.ts';
import { staticFiles } from './gateway/static-files.ts';
import { refuseUnknownPaths } from './gateway/unknown-paths.ts';
import { implement } from './implement.ts';
import type { App, Env } from './implement.ts';
import { newId } from './ids.ts';
import { openApiRoute } from './openapi.ts';
import { Problem, titleOf } from './problem.ts';
import { accountRoutes } from './routes/account.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { deviceRoutes } from './routes/devices.ts';
import { downloadRoute } from './routes/download.ts';
import { installRoutes } from './routes/install.ts';
import { jobRoutes } from './routes/jobs.ts';
import { tagRoutes } from './routes/tags.ts';
import { tunnelRoutes } from './routes/tunnels.ts';
import { workflowRoutes } from './routes/workflows.ts';

const DIST = path.join(import.meta.dirname, '../dist');

/** Builds the application on an open context. */
export function createApp(context: Context): App {
  const app: App = new Hono<Env>();
  const door = openDoor(context, context.instanceId);

  app.use(async (http, next) => {
    setSecurityHeaders(http.env.outgoing, context.publicUrl.startsWith('https:'));
    await next();
  });
  app.onError((cause, http) => {
    // What is left of the body would be taken for the next request: the connection ends with the refusal.
    const { incoming, outgoing } = http.env;
    if (
      !incoming.complete &&
      (incoming.headers['content-length'] ?? incoming.headers['transfer-encoding']) !== undefined
    )
      outgoing.setHeader('Connection', 'close');
    if (cause instanceof Problem) return cause.response();
    // The caller gets a number to quote; what happened stays in the service's own log.
    const reference = newId();
    console.error(`error ${reference}:`, cause);
    return new Problem(
      500,
      titleOf(500),
      `The operator finds it in the log under the reference ${reference}.`,
    ).response();
  });
  app.notFound((http) => new Problem(404, 'Not found', `There is nothing at ${http.req.path}.`).response());

  sessionRoutes(app, context, door);

  app.use('/v1/*', async (http: HonoContext<Env>, next) => {
    http.set('caller', await door.caller(http));
    await next();
  });
  implement(app, accountEndpoints, accountRoutes(context));
  implement(app, deviceEndpoints, deviceRoutes(context));
  implement(app, tagEndpoints, tagRoutes(context));
  implement(app, artifactEndpoints, artifactRoutes(context));
  implement(app, workflowEndpoints, workflowRoutes(context));
  implement(app, jobEndpoints, jobRoutes(context));
  implement(app, tunnelEndpoints, tunnelRoutes(context));
  refuseUnknownPaths(app, [
    accountEndpoints,
    deviceEndpoints,
    tagEndpoints,
    artifactEndpoints,
    workflowEndpoints,
    jobEndpoints,
    tunnelEndpoints,
  ]);
  downloadRoute(app, context);
  openApiRoute(app, context);
  installRoutes(app, context, DIST);

  loopbackRedirect(app, context);
  const { mapTiles } = context.config;
  staticFiles(app, DIST, mapTiles && new URL(mapTiles.url).origin);
  return app;
}
