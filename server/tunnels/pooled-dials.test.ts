// Streams of a carrier as connections of Node's HTTP client.
import assert from 'node:assert/strict';
import type { ClientHttp2Stream } from 'node:http2';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { connectBy } from './pooled-dials.ts';

const connected = (dialled: PassThrough) =>
  new Promise<unknown>((resolve) => {
    connectBy(() => Promise.resolve(dialled as unknown as ClientHttp2Stream))({}, (cause) => resolve(cause));
  });

test('a stream that was cut a moment after it was dialled is a fault: a request on it would wait for ever', async () => {
  assert.equal(await connected(new PassThrough()), null);
  assert.match(String(await connected(new PassThrough().destroy())), /The connection was cut/);
});
