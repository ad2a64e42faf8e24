// Combines all parts to one application. It listens on no port and opens nothing: the context is passed in.
import path from 'node:path';
import type { Context as HonoContext } from 'hono';
import { accountEndpoints } from '#/contract/account.ts';
import { alertEndpoints } from '#/contract/alerts.ts';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import { auditEndpoints } from '#/contract/audit.ts';
import { historyEndpoints } from '#/contract/history.ts';
import { timelineEndpoints } from '#/contract/timeline.ts';
import { usageEndpoints } from '#/contract/usage.ts';
import { rolloutEndpoints } from '#/contract/rollouts.ts';
import { standingOrderEndpoints } from '#/contract/standing-orders.ts';
import { ruleEndpoints } from '#/contract/rules.ts';
import { viewEndpoints } from '#/contract/views.ts';
import { archiveEndpoints } from '#/contract/archive.ts';
import { bulkEndpoints } from '#/contract/bulk.ts';
import { changeEndpoints } from '#/contract/changes.ts';
import { deviceVersionEndpoints } from '#/contract/device-versions.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { tagEndpoints } from '#/contract/tags.ts';
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { workflowEndpoints } from '#/contract/workflows.ts';
import type { Context } from './context.ts';
import { newApp } from './http/base-app.ts';
import { openAuthenticator } from './auth/authenticate.ts';
import { loopbackRedirect } from './http/loopback-redirect.ts';
import { sessionRoutes } from './auth/sessions.ts';
import { openSigninLimit } from './auth/signin-limit.ts';
import { staticFiles } from './http/static-files.ts';
import { API } from './http/api-groups.ts';
import { refuseUnknownPaths } from './http/unknown-paths.ts';
import { implement } from './http/implement.ts';
import type { App, Env } from './http/implement.ts';
import { openApiRoute } from './http/openapi.ts';
import { accountRoutes } from './api/account.ts';
import { alertRoutes } from './api/alerts.ts';
import { archiveRoutes } from './api/archive.ts';
import { artifactRoutes } from './api/artifacts.ts';
import { auditRoutes } from './api/audit.ts';
import { historyRoutes } from './api/history.ts';
import { timelineRoutes } from './api/timeline.ts';
import { usageRoutes } from './api/usage.ts';
import { actorNames } from './api/audit-names.ts';
import { rolloutRoutes } from './api/rollouts.ts';
import { standingOrderRoutes } from './api/standing-orders.ts';
import { ruleRoutes } from './api/rules.ts';
import { viewRoutes } from './api/views.ts';
import { bulkRoutes } from './api/bulk.ts';
import { changeRoutes } from './api/changes.ts';
import { deviceVersionRoutes } from './api/device-versions.ts';
import { deviceRoutes } from './api/devices.ts';
import { downloadRoute } from './api/download.ts';
import { installRoutes } from './api/install.ts';
import { jobRoutes } from './api/jobs.ts';
import { operationRoutes } from './api/operation.ts';
import type { Operation } from './api/operation.ts';
import { tagRoutes } from './api/tags.ts';
import { tunnelRoutes } from './api/tunnels.ts';
import { workflowRoutes } from './api/workflows.ts';

const DIST = path.join(import.meta.dirname, '../dist');

/** Builds the application on an open context. */
export function createApp(context: Context, operation: Operation): App {
  const app = newApp(context);
  const authenticator = openAuthenticator(context);

  const limit = openSigninLimit(context.config.signinLimit, context.clock.steady);
  sessionRoutes(app, context, authenticator, limit);
  operationRoutes(app, operation, (http) => authenticator.caller(http));

  app.use('/v1/*', async (http: HonoContext<Env>, next) => {
    http.set('caller', await authenticator.caller(http));
    await next();
  });
  implement(app, accountEndpoints, accountRoutes(context, limit));
  implement(app, deviceEndpoints, deviceRoutes(context));
  implement(app, deviceVersionEndpoints, deviceVersionRoutes(context));
  implement(app, changeEndpoints, changeRoutes(context));
  implement(app, tagEndpoints, tagRoutes(context));
  implement(app, artifactEndpoints, artifactRoutes(context));
  implement(app, workflowEndpoints, workflowRoutes(context));
  implement(app, jobEndpoints, jobRoutes(context));
  implement(app, bulkEndpoints, bulkRoutes(context));
  implement(app, archiveEndpoints, archiveRoutes(context));
  implement(app, tunnelEndpoints, tunnelRoutes(context));
  implement(app, auditEndpoints, auditRoutes(context));
  implement(app, usageEndpoints, usageRoutes(context));
  implement(app, historyEndpoints, historyRoutes(context));
  implement(app, timelineEndpoints, timelineRoutes(context));
  implement(app, rolloutEndpoints, rolloutRoutes({ ...context, namesOf: actorNames }));
  implement(app, standingOrderEndpoints, standingOrderRoutes(context));
  implement(app, ruleEndpoints, ruleRoutes(context));
  implement(app, viewEndpoints, viewRoutes(context));
  implement(app, alertEndpoints, alertRoutes(context));
  refuseUnknownPaths(app, Object.values(API));
  downloadRoute(app, context);
  openApiRoute(app, context);
  installRoutes(app, context);

  loopbackRedirect(app, context);
  const { mapTiles } = context.config;
  staticFiles(app, DIST, {
    tiles: mapTiles && new URL(mapTiles.url).origin,
    maybeSignedIn: (http) => authenticator.maybeSignedIn(http),
  });
  return app;
}
