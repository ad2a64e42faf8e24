// Begins to read a stream of events. Apart from call.ts, which reads an answer to its end within a time limit, and takes a
// request without an answer as a sign that the service is away: here that may be a proxy that cuts streams.
import { apiTarget, directAddress } from './direct.ts';

export function openStream(path: string, signal: AbortSignal): Promise<Response> {
  const { url, headers } = apiTarget(path);
  return fetch(url, {
    signal,
    headers: { accept: 'text/event-stream', ...headers },
    credentials: directAddress === undefined ? 'same-origin' : 'omit',
    cache: 'no-store',
    redirect: 'error',
  });
}
