// The base of both applications, the service and the gateway: headers on each answer, and one conversion of errors to
// answers.
import { stopping } from './traffic.ts';
import type { Traffic } from './traffic.ts';
import { Hono } from 'hono';
import { routePath } from 'hono/route';
import type { App, Env } from './implement.ts';
import { setAnswerPolicy, setSecurityHeaders } from './security-headers.ts';
import { randomUUID } from 'node:crypto';
import { log } from '../operation/log.ts';
import { faultBehind, Problem, problemOf, titleOf } from './problem.ts';
import { recordRequest } from '../operation/request-log.ts';
import { logFault } from '../store/system-fault.ts';

/** An application without routes; `publicUrl` is read at each request, because it is known only after listening. */
export function newApp(site: { readonly publicUrl: string; readonly traffic: Traffic }): App {
  const { traffic } = site;
  const app: App = new Hono<Env>();
  app.use(async (http, next) => {
    const begun = performance.now();
    setSecurityHeaders(http.env.outgoing, site.publicUrl.startsWith('https:'));
    traffic.active += 1;
    await next();
    traffic.active -= 1;
    const { status } = http.res;
    const reason = status >= 400 ? problemOf(http.error)?.message : undefined;
    recordRequest(http.req.method, routePath(http), status, performance.now() - begun, reason);
  });
  app.use(async (http, next) => {
    if (traffic.isStopping && !/^\/(healthz|readyz)$/.test(http.req.path)) throw stopping();
    await next();
  });
  app.use('/v1/*', async (http, next) => {
    setAnswerPolicy(http.env.outgoing);
    await next();
  });
  app.onError((cause, http) => {
    // The rest of the body would be read as the next request, so the connection is closed.
    const { incoming, outgoing } = http.env;
    if (
      !incoming.complete &&
      (incoming.headers['content-length'] ?? incoming.headers['transfer-encoding']) !== undefined
    )
      outgoing.setHeader('Connection', 'close');
    const problem = problemOf(cause);
    const fault = problem && faultBehind(problem);
    if (fault) logFault('http', fault);
    if (problem) return problem.response();
    // The client gets a reference number; the error itself goes only to the log.
    const reference = randomUUID().slice(0, 8);
    log.error(`error ${reference}`, cause);
    return new Problem(
      500,
      titleOf(500),
      `The operator finds it in the log under the reference ${reference}.`,
    ).response();
  });
  app.notFound((http) => new Problem(404, 'Not found', `There is nothing at ${http.req.path}.`).response());
  return app;
}
