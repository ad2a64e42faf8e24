// Records every answered HTTP request: counted for /metrics, and logged by kind if it was refused or failed.
import { logThrottled } from './log.ts';
import { Counter, Histogram } from 'prom-client';

const requests = new Counter({
  name: 'muster_http_requests',
  help: 'HTTP requests answered.',
  labelNames: ['method', 'route', 'status'],
});
const durations = new Histogram({
  name: 'muster_http_request_duration_seconds',
  help: 'Time until an answer began.',
  labelNames: ['method', 'route'],
  buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
});

/** Clients can send any method name: all others are counted together. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** `route`: the pattern, never the path; `reason`: the title of the error that was sent. */
export function recordRequest(
  method: string,
  route: string,
  status: number,
  milliseconds: number,
  reason?: string,
): void {
  const known = METHODS.has(method) ? method : 'other';
  requests.inc({ method: known, route, status });
  durations.observe({ method: known, route }, milliseconds / 1000);
  if (status < 400) return;
  logThrottled(
    `${known} ${route} ${status}`,
    status < 500 ? 'info' : 'warn',
    status < 500 ? 'Refused a request.' : 'Could not answer a request.',
    { method: known, route, status, reason },
  );
}
