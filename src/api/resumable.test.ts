import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { uploadResumable } from './resumable.ts';

afterEach(() => mock.restoreAll());

const KB = 1024;
const MB = 1024 * KB;

/** A service with uploads behind a proxy that refuses bodies above its limit, as nginx does. */
function behindProxy(limit: number) {
  const seen = { sizes: [] as number[], offset: 0, length: 0 };
  class Transfer {
    upload = {};
    status = 0;
    responseText = '';
    onload = () => {};
    onloadend = () => {};
    #method = '';
    #sent: Record<string, string> = {};
    #answered: Record<string, string> = {};
    open(method: string) {
      this.#method = method;
    }
    setRequestHeader(name: string, value: string) {
      this.#sent[name] = value;
    }
    getResponseHeader(name: string) {
      return this.#answered[name] ?? null;
    }
    send(body: ArrayBuffer | null) {
      this.#answer(body?.byteLength ?? 0);
      this.onload();
      this.onloadend();
    }
    #answer(size: number) {
      this.status = 204;
      if (this.#method === 'POST') {
        Object.assign(seen, { offset: 0, length: Number(this.#sent['upload-length']) });
        this.#answered = { location: '/v1/uploads/u' };
        return;
      }
      if (this.#method === 'PATCH') {
        seen.sizes.push(size);
        if (size > limit) {
          this.status = 413;
          this.responseText = '<html><h1>413 Request Entity Too Large</h1></html>';
          return;
        }
        assert.equal(this.#sent['upload-offset'], String(seen.offset));
        seen.offset += size;
      }
      this.#answered = { 'upload-offset': String(seen.offset) };
      if (seen.offset === seen.length) this.#answered['muster-artifact'] = 'a';
    }
  }
  Object.assign(globalThis, { XMLHttpRequest: Transfer });
  mock.method(globalThis, 'fetch', async () => Response.json({ ArtifactId: 'a' }));
  return seen;
}

const send = (bytes: number) =>
  uploadResumable({
    file: new File([new Uint8Array(bytes)], 'x.tar.gz'),
    form: { size: String(bytes), version: '1', type: 'tar.gz' },
    key: 'k',
    signal: new AbortController().signal,
    onProgress: () => {},
  });

test('a proxy that refuses the size of a piece gets smaller ones, and the next upload begins with those', async () => {
  const seen = behindProxy(MB);
  await send(5 * MB);
  assert.deepEqual(
    seen.sizes,
    [4, 2, 1, 1, 1, 1, 1].map((size) => size * MB),
  );
  seen.sizes.length = 0;
  await send(2 * MB);
  assert.deepEqual(seen.sizes, [MB, MB]);
});

test('below 256 kB it gives up, and says why', async () => {
  const seen = behindProxy(100 * KB);
  await assert.rejects(send(4 * MB), { status: 413, detail: /^A proxy in front of the service refuses/ });
  assert.equal(seen.sizes.at(-1), 256 * KB);
});
