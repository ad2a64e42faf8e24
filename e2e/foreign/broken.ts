// A service on a bad day: it knows accounts and nothing else, and says so in whatever way a test sets.
import { setTimeout as after } from 'node:timers/promises';
import { startForeign, type Foreign } from './foreign.ts';

export type Mood =
  | 'html'
  | 'text'
  | 'busy'
  | 'late'
  | 'dead'
  | 'page'
  | 'shape'
  | 'redirect'
  | 'denied'
  | 'limit'
  | 'none';

export interface Broken extends Foreign {
  /** `forAll`: about the account too. */
  be(mood: Mood, forAll?: boolean): void;
}

/** @param elsewhere where its redirects point */
export async function startBroken(elsewhere: () => string): Promise<Broken> {
  let mood: Mood = 'html';
  let forAll = false;
  const foreign = await startForeign(async ({ url }, response) => {
    const say = (status: number, type: string, body: string, headers: Record<string, string> = {}) =>
      void response.writeHead(status, { 'content-type': type, ...headers }).end(body);
    if (url === '/v1/account' && !forAll)
      return say(200, 'application/json', '{"UserEmail":"b@example.com","PlanMaxDeviceLimit":5,"NumDevicesAdded":3}');
    switch (mood) {
      case 'html':
        return say(500, 'text/html', '<!doctype html><h1>Internal <script>boom()</script></h1>');
      case 'text':
        return say(400, 'text/plain', 'pq: relation "devices" is on holiday');
      case 'busy':
        return say(503, 'application/json', '{"error":{"message":"draining"}}', { 'retry-after': '1' });
      case 'limit':
        return say(429, 'text/plain', 'slow down', { 'retry-after': '7' });
      case 'none':
        return say(404, 'text/plain', '404 page not found');
      case 'denied':
        return say(403, 'application/json', '{"errors":["scope is missing"]}');
      case 'late':
        await after(5_000);
        return say(200, 'application/json', '[]');
      case 'dead':
        return void response.destroy();
      case 'page':
        return say(200, 'text/html', '<!doctype html><title>Portal</title>Sign in here');
      case 'shape':
        return say(200, 'application/json', '{"Devices":[{"DeviceKey":"dk_in_the_wrong_shape"}],"More":[]}');
      case 'redirect':
        return say(307, 'text/plain', '', { location: `${elsewhere()}${url}` });
    }
  });
  return {
    ...foreign,
    be: (next, all = false) => {
      mood = next;
      forAll = all;
    },
  };
}
