// The dashboard in front of another /v1 service: the gateway provides sessions, headers and files, and the service
// provides the responses.
import path from 'node:path';
import type { Context as HonoContext } from 'hono';
import { accountEndpoints } from '#/contract/account.ts';
import { API } from '../http/api-groups.ts';
import { newApp } from '../http/base-app.ts';
import type { App, Env } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { findSealedSession, recordSealedSessionUse, rotateSealedSession } from '../store/sealed-sessions.ts';
import type { SealedSession } from '../store/sealed-sessions.ts';
import { operationRoutes } from '../api/operation.ts';
import type { Operation } from '../api/operation.ts';
import { bearerOf } from '../http/bearer.ts';
import { loopbackRedirect } from '../http/loopback-redirect.ts';
import { openSessionCookie } from '../auth/session-cookie.ts';
import { staticFiles } from '../http/static-files.ts';
import { refuseUnknownPaths } from '../http/unknown-paths.ts';
import { KnownTags, forwardedCapabilities } from './forwarded-capabilities.ts';
import { forward } from './upstream-forward.ts';
import type { GatewayContext } from './upstream-service.ts';
import { upstreamSessionRoutes } from './upstream-sessions.ts';
import { openShapes } from './upstream-shapes.ts';

const DIST = path.join(import.meta.dirname, '../../dist');
// The archive, the stream of changes, enrolment, which devices ask for without a token, resumable uploads, and opening
// tunnels, whose logins pass no third party, are not forwarded.
const { archive: _, changes: __, enrolment: ____, uploads: _____, tunnels, ...OTHERS } = API;
const { open: ___, ...PASSED_TUNNELS } = tunnels;
const PASSED = { ...OTHERS, tunnels: PASSED_TUNNELS };

/** Builds the application on an open context. */
export function createGatewayApp(context: GatewayContext, operation: Operation): App {
  const { db, upstream, config, now } = context;
  const app = newApp(context);
  const cookie = openSessionCookie(context, {
    find: (value, at) => findSealedSession(db, upstream.address, value, at),
    rotate: (session: SealedSession) => db.write((tx) => rotateSealedSession(tx, upstream.address, session, now())),
    noteUse: ({ id }) => db.write((tx) => recordSealedSessionUse(tx, id, now())),
  });
  upstreamSessionRoutes(app, context, cookie);
  operationRoutes(app, operation, () => {
    // A gateway has no tokens of its own.
    throw new Problem(404, 'Not found', 'In front of another service, /metrics is on METRICS_PORT only.');
  });

  /** The token of the session, or the one that a program sends. */
  const tokenOf = async (http: HonoContext<Env>): Promise<string> => {
    const { authorization } = http.env.incoming.headers;
    const shown = authorization === undefined ? undefined : bearerOf(authorization);
    if (shown !== undefined) return shown;
    const session = authorization === undefined ? await cookie.session(http) : undefined;
    if (!session)
      throw new Problem(401, 'Not signed in', 'Sign in again, or send the header "Authorization: Bearer <token>".');
    if (http.req.method !== 'GET') cookie.requireOwnOrigin(http);
    return session.token;
  };
  const passed = Object.values(PASSED);
  const tags = new KnownTags(upstream);
  const shapeOf = openShapes(passed);
  app.use('/v1/*', async (http: HonoContext<Env>, next) => {
    const shape = shapeOf(http.req.method, http.env.incoming.url ?? '');
    if (!shape) return next();
    const token = await tokenOf(http);
    const isAccount = shape.endpoint === accountEndpoints.get;
    const editors = isAccount ? [forwardedCapabilities(() => tags.areListed(token))] : [];
    return forward(upstream, shape, token, http.env, {
      giveUp: context.traffic.giveUp,
      most: config.artifactMax,
      editors,
    });
  });
  refuseUnknownPaths(app, passed);
  loopbackRedirect(app, context);
  staticFiles(app, DIST, {
    tiles: config.mapTiles && new URL(config.mapTiles.url).origin,
    maybeSignedIn: (http) => cookie.maybeSignedIn(http),
  });
  return app;
}
