// METRICS_PORT: the endpoints for machines on a port that need not be reachable from outside.
import type { Config } from './config.ts';
import { newApp } from './http/base-app.ts';
import { openSidePort } from './http/listen.ts';
import { operationRoutes } from './api/operation.ts';
import type { Operation } from './api/operation.ts';
import type { Traffic } from './http/traffic.ts';

/** Opens METRICS_PORT, if it is set; no token is needed there. Returns a function that closes it. */
export async function openMetricsPort(
  { host, metricsPort }: Config,
  site: { readonly publicUrl: string; readonly traffic: Traffic },
  operation: Operation,
): Promise<() => Promise<void>> {
  if (metricsPort === undefined) return async () => {};
  const app = newApp(site);
  operationRoutes(app, operation, () => {});
  return openSidePort(host, metricsPort, 'METRICS_PORT', app);
}
