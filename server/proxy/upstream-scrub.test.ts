// Neither the caller's token nor a device's key passes a gateway, however it is split and compressed.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { Transform } from 'node:stream';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { startBefore, TOKEN } from '../auth/test-gateway.ts';
import { keyScrubber, tokenScrubber, withoutToken } from './upstream-scrub.ts';

async function through(scrubber: Transform, text: string, size: number): Promise<string> {
  const bytes = Buffer.from(text);
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return Buffer.concat(await Readable.from(parts).pipe(scrubber).toArray()).toString();
}
const stars = (count: number) => '*'.repeat(count);

test('the token goes in each spelling, wherever the pieces are cut', async () => {
  const token = 'aab/aab/aab+x';
  const text = `é ${token}${token} aaab/aab/aab+x "${encodeURIComponent(token)}" aab\\/aab\\/aab+x aab/aab/aab ü`;
  const expected = `é ${stars(26)} a${stars(13)} "${stars(encodeURIComponent(token).length)}" ${stars(15)} aab/aab/aab ü`;
  for (let size = 1; size < text.length + 3; size += 1)
    assert.equal(await through(tokenScrubber(token), text, size), expected, `pieces of ${size}`);
  assert.equal(withoutToken('Bearer secret-token', 'secret-token'), `Bearer ${stars(12)}`);
  assert.equal(await through(tokenScrubber('short'), 'a short text', 3), 'a short text');
});

test('the value of a DeviceKey goes, and nothing else', async () => {
  const text =
    '{"Devices":[{"DeviceKey" :\n "mdk_\\"x","DeviceName":"DeviceKey","device_key":"abc"},{"DeviceKey":null,"x":""}]}';
  const expected =
    '{"Devices":[{"DeviceKey" :\n "*******","DeviceName":"DeviceKey","device_key":"***"},{"DeviceKey":null,"x":""}]}';
  for (let size = 1; size < text.length + 3; size += 1)
    assert.equal(await through(keyScrubber(), text, size), expected, `pieces of ${size}`);
});

test('in front of a service that repeats them: bodies, packed ones too, heads and refusals', async (t) => {
  const body = JSON.stringify([{ DeviceId: 'd1', DeviceKey: 'mdk_secret', DeviceName: `for ${TOKEN}` }]);
  const packed = { gzip: zlib.gzipSync, deflate: zlib.deflateSync, br: zlib.brotliCompressSync };
  const { url } = await startBefore(t, (request, response) => {
    const coding = Object.keys(packed).find((each) => request.url?.endsWith(each)) as keyof typeof packed | undefined;
    response.setHeader('ETag', `"${TOKEN}"`);
    if (request.method === 'POST') response.end(JSON.stringify({ DeviceId: 'd1', DeviceKey: 'mdk_new' }));
    else if (coding) response.writeHead(200, { 'content-encoding': coding }).end(packed[coding](body));
    else response.writeHead(request.url?.endsWith('refused') ? 403 : 200, { 'content-length': body.length }).end(body);
  });
  const ask = (at: string, init: RequestInit = {}) =>
    fetch(url + at, { ...init, headers: { authorization: `Bearer ${TOKEN}` } });
  for (const at of ['plain', 'gzip', 'deflate', 'br', 'refused']) {
    const response = await ask(`/v1/job/${at}`);
    const text = await response.text();
    assert.equal(text, body.replace('mdk_secret', stars(10)).replace(TOKEN, stars(TOKEN.length)), at);
    assert.ok(![...response.headers].flat().join().includes(TOKEN), at);
  }
  const made = await ask('/v1/devices', { method: 'POST', body: '{"DeviceName":"a","DeviceGroup":""}' });
  assert.match(await made.text(), /mdk_new/, 'the one answer that is about the key');
});
