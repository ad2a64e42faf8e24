// Puts the parts together into one application. Binds no port and opens nothing: the context is handed in.
import path from 'node:path';
import type { Context as HonoContext } from 'hono';
import { accountEndpoints } from '#/contract/account.ts';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { tagEndpoints } from '#/contract/tags.ts';
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { workflowEndpoints } from '#/contract/workflows.ts';
import type { Context } from './context.ts';
import { newApp } from './frame.ts';
import { openDoor } from './gateway/door.ts';
import { loopbackRedirect } from './gateway/loopback-redirect.ts';
import { sessionRoutes } from './gateway/sessions.ts';
import { openSigninLimit } from './gateway/signin-limit.ts';
import { staticFiles } from './gateway/static-files.ts';
import { refuseUnknownPaths } from './gateway/unknown-paths.ts';
import { implement } from './implement.ts';
import type { App, Env } from './implement.ts';
import { openApiRoute } from './openapi.ts';
import { accountRoutes } from './routes/account.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { deviceRoutes } from './routes/devices.ts';
import { downloadRoute } from './routes/download.ts';
import { installRoutes } from './routes/install.ts';
import { jobRoutes } from './routes/jobs.ts';
import { operationRoutes } from './routes/operation.ts';
import type { Operation } from './routes/operation.ts';
import { tagRoutes } from './routes/tags.ts';
import { tunnelRoutes } from './routes/tunnels.ts';
import { workflowRoutes } from './routes/workflows.ts';

const DIST = path.join(import.meta.dirname, '../dist');

/** Builds the application on an open context. */
export function createApp(context: Context, operation: Operation): App {
  const app = newApp(context);
  const door = openDoor(context);

  const limit = openSigninLimit(context.config.signinLimit, context.clock.steady);
  sessionRoutes(app, context, door, limit);
  operationRoutes(app, operation, (http) => door.caller(http));

  app.use('/v1/*', async (http: HonoContext<Env>, next) => {
    http.set('caller', await door.caller(http));
    await next();
  });
  implement(app, accountEndpoints, accountRoutes(context, limit));
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
  installRoutes(app, context);

  loopbackRedirect(app, context);
  const { mapTiles } = context.config;
  staticFiles(app, DIST, mapTiles && new URL(mapTiles.url).origin);
  return app;
}
