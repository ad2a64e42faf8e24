// What is known of every HTTP request once it is answered: counted for /metrics, and where it was refused or failed, a
// line in the log for each kind of refusal.
import { logSeldom } from './log.ts';
import { openCounter, openHistogram } from './metrics.ts';

const requests = openCounter('muster_http_requests', 'HTTP requests answered.', []);
const durations = openHistogram(
  'muster_http_request_duration_seconds',
  'Time until an answer began.',
  [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
);

/** What a client may send as a method is not ours to bound: others count together. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** What was seen of one method on one route: looked up for each request, so without making a text first. */
interface Seen {
  where: string;
  duration: ReturnType<typeof durations.of>;
  statuses: Map<number, { value: number }>;
}
const seen = new Map<string, Map<string, Seen>>();

function seenOf(method: string, route: string): Seen {
  let methods = seen.get(route);
  if (!methods) seen.set(route, (methods = new Map<string, Seen>()));
  let one = methods.get(method);
  if (!one) {
    const where = `method="${method}",route="${route}"`;
    methods.set(method, (one = { where, duration: durations.of(where), statuses: new Map() }));
  }
  return one;
}

/** `route`: the pattern, never the path; `reason`: what the caller was told. */
export function seeRequest(method: string, route: string, status: number, milliseconds: number, reason?: string): void {
  const known = METHODS.has(method) ? method : 'other';
  const { where, duration, statuses } = seenOf(known, route);
  let count = statuses.get(status);
  if (!count) statuses.set(status, (count = requests.of(`${where},status="${status}"`)));
  count.value += 1;
  durations.observe(duration, milliseconds / 1000);
  if (status < 400) return;
  logSeldom(
    `${known} ${route} ${status}`,
    status < 500 ? 'info' : 'warn',
    status < 500 ? 'Refused a request.' : 'Could not answer a request.',
    { method: known, route, status, reason },
  );
}
