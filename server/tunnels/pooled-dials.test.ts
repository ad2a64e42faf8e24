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

test('a reset is a fault, and no end of an answer without a length', async () => {
  const causeOf = async (cut: (stream: PassThrough) => void) => {
    const stream = new PassThrough();
    await connected(stream);
    const failed = new Promise<NodeJS.ErrnoException>((resolve) => stream.once('error', resolve));
    cut(stream);
    return failed;
  };
  // As HTTP/2 reports a reset that it then shows as an end, and as the connection to another node does.
  assert.match((await causeOf((stream) => stream.emit('aborted'))).message, /The connection was cut/);
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  assert.notEqual((await causeOf((stream) => stream.destroy(reset))).code, 'ECONNRESET');
});
