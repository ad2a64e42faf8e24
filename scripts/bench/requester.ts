// Requests of many devices at the same time, each on a connection of its own that stays open.
import { Agent, request } from 'node:http';

export interface Requester {
  ask: (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ) => Promise<{ status: number | undefined; text: string }>;
  close: () => void;
}

export function openRequester(url: string): Requester {
  const pool = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity });
  return {
    ask: (method, path, headers, body = '') =>
      new Promise((resolve, reject) => {
        const asked = request(url + path, {
          method,
          agent: pool,
          headers: { ...headers, ...(body !== '' && { 'Content-Length': Buffer.byteLength(body) }) },
        });
        asked.on('error', reject);
        asked.on('response', (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => (text += part));
          response.on('end', () => resolve({ status: response.statusCode, text }));
        });
        asked.end(body);
      }),
    close: () => pool.destroy(),
  };
}
