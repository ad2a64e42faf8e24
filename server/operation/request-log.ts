// Records every answered HTTP request: counted for /metrics, and logged by kind if it was refused or failed.
import { logThrottled } from './log.ts';
import { openCounter, openHistogram } from './metrics.ts';

const requests = openCounter('muster_http_requests', 'HTTP requests answered.', []);
const durations = openHistogram(
  'muster_http_request_duration_seconds',
  'Time until an answer began.',
  [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
);

/** Clients can send any method name: all others are counted together. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counters of one method on one route; an object lookup avoids building a text for each request. */
interface RouteCounters {
  where: string;
  duration: ReturnType<typeof durations.of>;
  statuses: Map<number, { value: number }>;
}
const counters = new Map<string, Map<string, RouteCounters>>();

function countersOf(method: string, route: string): RouteCounters {
  let methods = counters.get(route);
  if (!methods) counters.set(route, (methods = new Map<string, RouteCounters>()));
  let one = methods.get(method);
  if (!one) {
    const where = `method="${method}",route="${route}"`;
    methods.set(method, (one = { where, duration: durations.of(where), statuses: new Map() }));
  }
  return one;
}

/** `route`: the pattern, never the path; `reason`: the title of the error that was sent. */
export function recordRequest(
  method: string,
  route: string,
  status: number,
  milliseconds: number,
  reason?: string,
): void {
  const known = METHODS.has(method) ? method : 'other';
  const { where, duration, statuses } = countersOf(known, route);
  let count = statuses.get(status);
  if (!count) statuses.set(status, (count = requests.of(`${where},status="${status}"`)));
  count.value += 1;
  durations.observe(duration, milliseconds / 1000);
  if (status < 400) return;
  logThrottled(
    `${known} ${route} ${status}`,
    status < 500 ? 'info' : 'warn',
    status < 500 ? 'Refused a request.' : 'Could not answer a request.',
    { method: known, route, status, reason },
  );
}
