// A client of tus for tests: one request each, whose connection can be broken in the middle.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';

export interface TusAnswer {
  status: number;
  header(name: string): string | undefined;
  text: string;
}

export interface TusClient {
  /** Begins an upload of so many bytes and returns its path; `fields` is its metadata, with `filename`. */
  begin(length: number, fields: Record<string, string>): Promise<string>;
  ask(method: string, path: string, headers?: Record<string, string>, body?: Buffer): Promise<TusAnswer>;
  patch(path: string, offset: number, body: Buffer, headers?: Record<string, string>): Promise<TusAnswer>;
  /** Sends these bytes as the beginning of `length`, and leaves the connection open. */
  hang(path: string, offset: number, length: number, body: Buffer): { sent: Promise<void>; cut: () => void };
  /** How many bytes the service has. */
  offset(path: string): Promise<number>;
}

export const metadata = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');

export function tusClient(url: string, token: string): TusClient {
  const open = (method: string, path: string, headers: Record<string, string | number>) =>
    request(new URL(path, url), {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Tus-Resumable': '1.0.0', ...headers },
      agent: false,
    });
  const patchHeaders = (offset: number, length: number) => ({
    'Content-Type': 'application/offset+octet-stream',
    'Upload-Offset': offset,
    'Content-Length': length,
  });
  const client: TusClient = {
    begin: async (length, fields) => {
      const made = await client.ask('POST', '/v1/uploads', {
        'Upload-Length': String(length),
        'Upload-Metadata': metadata(fields),
      });
      assert.equal(made.status, 201, made.text);
      return made.header('location') ?? '';
    },
    ask: async (method, path, headers = {}, body = Buffer.alloc(0)) => {
      const sent = open(method, path, { 'Content-Length': body.length, ...headers });
      // A refusal may come before all is sent.
      sent.on('error', () => {});
      sent.end(body);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part as Buffer);
      return {
        status: answer.statusCode ?? 0,
        header: (name) => answer.headers[name]?.toString(),
        text: Buffer.concat(parts).toString(),
      };
    },
    patch: (path, offset, body, headers = {}) => {
      const { 'Content-Length': _, ...own } = patchHeaders(offset, body.length);
      return client.ask('PATCH', path, { ...own, 'Upload-Offset': String(offset), ...headers }, body);
    },
    hang: (path, offset, length, body) => {
      const sent = open('PATCH', path, patchHeaders(offset, length));
      sent.on('error', () => {});
      return { sent: new Promise((resolve) => sent.write(body, () => resolve())), cut: () => sent.destroy() };
    },
    offset: async (path) => {
      const answer = await client.ask('HEAD', path);
      assert.equal(answer.status, 200, path);
      return Number(answer.header('upload-offset'));
    },
  };
  return client;
}
