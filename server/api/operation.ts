// Endpoints for operating the service: liveness, readiness and metrics. They are for machines and outside /v1; only the
// metrics need a token, or a separate port (METRICS_PORT).
import type { Context as HonoContext } from 'hono';
import type { App, Env } from '../http/implement.ts';
import { printMetrics } from '../operation/metrics.ts';
import type { Gauges } from '../operation/metrics.ts';
import { Problem } from '../http/problem.ts';
import type { Readiness } from '../readiness.ts';

export interface Operation {
  readiness: Readiness;
  gauges: Gauges;
}

const NO_STORE = { 'Cache-Control': 'no-store' };

/** Registers /healthz, /readyz and /metrics; `authorize` throws for clients that may not read the metrics. */
export function operationRoutes(
  app: App,
  { readiness, gauges }: Operation,
  authorize: (http: HonoContext<Env>) => unknown,
): void {
  app.get('/healthz', (http) => http.json({ Status: 'alive' }, 200, NO_STORE));

  app.get('/readyz', async (http) => {
    const errors = await readiness();
    if (errors.length === 0) return http.json({ Status: 'ready' }, 200, NO_STORE);
    const detail = `${errors.map(({ field, message }) => `The ${field} ${message}`).join('; ')}.`;
    return new Problem(503, 'The service is not ready', detail, { errors, headers: { 'Retry-After': '5' } }).response();
  });

  app.get('/metrics', async (http) => {
    await authorize(http);
    const { type, text } = await printMetrics(gauges, http.req.header('Accept') ?? '');
    return http.body(text, 200, { ...NO_STORE, 'Content-Type': type, Vary: 'Accept' });
  });
}
