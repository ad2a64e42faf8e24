// Opens an event stream. Separate from call.ts, which reads a response to its end within a time limit, and takes a missing
// response to mean that the service is unreachable: here the cause may be a proxy that breaks streams.
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
