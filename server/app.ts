// Combines all parts to one application. It listens on no port and opens nothing: the context is passed in.
import path from 'node:path';
import type { Context as HonoContext } from 'hono';
import type { Operations } from '#/contract/resource.ts';
import type { Context } from './context.ts';
import { newApp } from './http/base-app.ts';
import { openAuthenticator } from './auth/authenticate.ts';
import { loopbackRedirect } from './http/loopback-redirect.ts';
import { credentialRoutes } from './auth/credentials.ts';
import { openPasswordChecks } from './auth/password-checks.ts';
import { openSecondFactor } from './auth/second-factor.ts';
import { oidcRoutes } from './auth/oidc.ts';
import { sessionRoutes } from './auth/sessions.ts';
import { openSigninLimit } from './auth/signin-limit.ts';
import { staticFiles } from './http/static-files.ts';
import { requireServiceView } from './http/require-permission.ts';
import { API, needsNoCaller, RESOURCE_NAMES } from './http/api-groups.ts';
import type { ResourceName } from './http/api-groups.ts';
import { refuseUnknownPaths, requireUpgrade } from './http/unknown-paths.ts';
import { implement } from './http/implement.ts';
import type { App, Env, Handlers } from './http/implement.ts';
import { openApiRoute } from './http/openapi.ts';
import { accountRoutes } from './api/account.ts';
import { alertRoutes } from './api/alerts.ts';
import { archiveRoutes } from './api/archive.ts';
import { artifactRoutes } from './api/artifacts.ts';
import { auditRoutes } from './api/audit.ts';
import { enrolmentRoutes } from './api/enrolment.ts';
import { historyRoutes } from './api/history.ts';
import { factRoutes } from './api/facts.ts';
import { timelineRoutes } from './api/timeline.ts';
import { uploadRoutes } from './api/uploads.ts';
import { usageRoutes } from './api/usage.ts';
import { actorNames } from './api/audit-names.ts';
import { peopleRoutes } from './api/people.ts';
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
  const guards = {
    limit,
    passwords: openPasswordChecks(context),
    secondFactor: openSecondFactor(context.clock.steady),
  };
  sessionRoutes(app, context, authenticator, guards, oidcRoutes(app, context, authenticator, guards));
  credentialRoutes(app, context, authenticator, guards);
  operationRoutes(app, operation, async (http) => requireServiceView(await authenticator.caller(http)));

  app.use('/v1/*', async (http: HonoContext<Env>, next) => {
    if (!needsNoCaller(http.req)) http.set('caller', await authenticator.caller(http));
    await next();
  });
  const handlers: { [Name in ResourceName]: Handlers<(typeof API)[Name]> } = {
    devices: deviceRoutes(context),
    enrolment: enrolmentRoutes(context),
    tags: tagRoutes(context),
    account: accountRoutes(context, guards),
    people: peopleRoutes(context),
    artifacts: artifactRoutes(context),
    uploads: uploadRoutes(context),
    workflows: workflowRoutes(context),
    jobs: jobRoutes(context),
    rules: ruleRoutes(context),
    rollouts: rolloutRoutes({ ...context, namesOf: actorNames }),
    orders: standingOrderRoutes(context),
    versions: deviceVersionRoutes(context),
    bulk: bulkRoutes(context),
    archive: archiveRoutes(context),
    changes: changeRoutes(context),
    tunnels: tunnelRoutes(context),
    audit: auditRoutes(context),
    alerts: alertRoutes(context),
    usage: usageRoutes(context),
    history: historyRoutes(context),
    timeline: timelineRoutes(context),
    facts: factRoutes(context),
    views: viewRoutes(context),
  };
  for (const name of RESOURCE_NAMES) implement(app, API[name], handlers[name] as Handlers<Operations>);
  refuseUnknownPaths(app, Object.values(API));
  requireUpgrade(app);
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
