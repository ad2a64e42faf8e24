import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { MutationObserver } from '@tanstack/react-query';
import { artifactMutations } from './artifacts.ts';
import { queryClient } from './query-client.ts';
import { uploadResumable } from './resumable.ts';

afterEach(() => mock.restoreAll());

const KB = 1024;
const MB = 1024 * KB;

/** A service with uploads behind a proxy that refuses bodies above its limit, as nginx does. */
function behindProxy(limit: number, capabilities = ['uploads']) {
  const seen = { forms: [] as number[], sizes: [] as number[], offset: 0, length: 0 };
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
    send(body: ArrayBuffer | FormData | null) {
      if (body instanceof FormData) this.#answerForm(body.get('file') as File);
      else this.#answer(body?.byteLength ?? 0);
      this.onload();
      this.onloadend();
    }
    #answerForm({ size }: File) {
      seen.forms.push(size);
      this.status = size > limit ? 413 : 200;
      this.responseText = size > limit ? 'Request Entity Too Large' : '{"ArtifactId":"a"}';
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
  mock.method(globalThis, 'fetch', async (path: string) =>
    Response.json(
      path === '/v1/account'
        ? { UserEmail: '', PlanMaxDeviceLimit: 9, NumDevicesAdded: 1, Capabilities: capabilities }
        : { ArtifactId: 'a' },
    ),
  );
  return seen;
}

const planned = (bytes: number) => ({
  file: new File([new Uint8Array(bytes)], 'x.tar.gz'),
  form: { size: String(bytes), version: '1', type: 'tar.gz' as const },
  key: 'k',
  signal: new AbortController().signal,
  onProgress: () => {},
});
const send = (bytes: number) => uploadResumable(planned(bytes));

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

/** As the dialog does it: a small file as one form. */
const sendAny = (bytes: number) =>
  new MutationObserver(queryClient, artifactMutations.upload()).mutate({ ...planned(bytes), key: String(bytes) });

test('a form that a proxy refuses goes in pieces, and so do the next files of its size', async (t) => {
  t.after(() => queryClient.clear());
  const seen = behindProxy(MB);
  assert.equal((await sendAny(3 * MB)).ArtifactId, 'a');
  assert.deepEqual(seen.forms, [3 * MB]);
  assert.equal(seen.offset, 3 * MB);
  assert.ok(seen.sizes.length > 0);

  await sendAny(3 * MB);
  await sendAny(MB);
  assert.deepEqual(seen.forms, [3 * MB, MB]);
});

test('without pieces, the refused form says why', async (t) => {
  t.after(() => queryClient.clear());
  const seen = behindProxy(MB, []);
  await assert.rejects(sendAny(2 * MB), { status: 413, detail: /^A proxy in front of the service refuses/ });
  assert.deepEqual(seen.forms, [2 * MB]);
  assert.deepEqual(seen.sizes, []);
});
