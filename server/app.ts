// Puts the parts together into one application. Binds no port and opens nothing: the context is handed in.
import { Hono } from 'hono';
import type { Context } from './context.ts';
import type { App, Env } from './implement.ts';
import { Problem, titleOf } from './problem.ts';
import { newId } from './ids.ts';

/** Builds the application on an open context. */
export function createApp(context: Context): App {
  const app: App = new Hono<Env>();
  void context;

  app.onError((cause) => {
    if (cause instanceof Problem) return cause.response();
    // The caller gets a number to quote; what happened stays in the service's own log.
    const reference = newId();
    console.error(`error ${reference}:`, cause);
    return new Problem(500, titleOf(500), `The operator finds it in the log under the reference ${reference}.`).response();
  });
  app.notFound((http) => new Problem(404, 'Not found', `There is nothing at ${http.req.path}.`).response());
  return app;
}
