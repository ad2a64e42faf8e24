import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import { errorLine, refusalError, type ApiError } from '#/api/api-error.ts';
import { call, pathOf } from '#/api/call.ts';
import { upload } from '#/api/upload.ts';
import { noteIdempotency } from './idempotency.ts';

afterEach(() => mock.restoreAll());

/** Replaces the network: returns the responses one after the other and records the requests. */
function answers(...responses: (Response | Error)[]) {
  const asked: { path: string; init: RequestInit }[] = [];
  mock.method(globalThis, 'fetch', (path: string, init: RequestInit) => {
    asked.push({ path, init });
    const next = responses.shift();
    return next instanceof Response ? Promise.resolve(next) : Promise.reject(next ?? new TypeError('no answer left'));
  });
  return asked;
}

const json = (body: unknown, headers: Record<string, string> = {}) => new Response(JSON.stringify(body), { headers });

const NO_ANSWER = 'This is not an answer of the API; a sign-in page or proxy may be in between.';

test('ids are encoded, and those that a browser would remove from the path are refused before anything is sent', async () => {
  assert.equal(pathOf(tunnelEndpoints.remove, { params: { tunnel_id: 'a/b ?' } }), '/v1/tunnels/a%2Fb%20%3F');
  const asked = answers();
  for (const tunnel_id of ['', '.', '..', 'half \ud800'])
    await assert.rejects(call(tunnelEndpoints.remove, { params: { tunnel_id } }), /cannot be used as tunnel_id/);
  assert.equal(asked.length, 0);
});

test('empty filters are left out of the query', () => {
  const params = { page_num: 1, rows_per_page: 25 };
  assert.equal(
    pathOf(deviceEndpoints.filter, { params, query: { device_name: 'a&b', device_group: '', device_tag: undefined } }),
    '/v1/devices/1/25/filters?device_name=a%26b',
  );
});

test('an unchanged response is not parsed again', async () => {
  answers(json([{ JobId: 'a' }], { etag: '"1"' }), json([{ JobId: 'a' }], { etag: '"1"' }), json([], { etag: '"2"' }));
  const first = await call(jobEndpoints.list, {});
  assert.equal(await call(jobEndpoints.list, {}), first);
  assert.deepEqual(await call(jobEndpoints.list, {}), []);
});

// As in the account of our service.
noteIdempotency(true);

test('each submission has its own key, and nothing else has one', async () => {
  const asked = answers(json({ JobId: 'a' }), json({ JobId: 'b' }), json([]));
  const body = { Name: 'n', DeviceId: 'd', ArtifactId: 'x' };
  await call(jobEndpoints.submit, { body });
  await call(jobEndpoints.submit, { body });
  await call(jobEndpoints.list, {});
  const keys = asked.map(({ init }) => new Headers(init.headers).get('idempotency-key'));
  assert.match(keys[0] ?? '', /^[0-9a-f]{32}$/);
  assert.notEqual(keys[0], keys[1]);
  assert.equal(keys[2], null);
});

test('errors are distinguished: no response, a refusal, an unexpected response', async () => {
  answers(
    new TypeError('Failed to fetch'),
    new Response('{"title":"Busy","status":503,"detail":"Try later"}', {
      status: 503,
      headers: { 'retry-after': '7' },
    }),
    new Response('<html>Welcome</html>'),
    json('text'),
  );
  const errors: ApiError[] = [];
  for (let i = 0; i < 4; i++)
    await call(jobEndpoints.list, {}).catch((error: unknown) => void errors.push(error as ApiError));
  assert.deepEqual(
    errors.map(({ kind, status, detail, retryAfter }) => [kind, status, detail, retryAfter]),
    [
      ['network', 0, 'Check that it is running and that this computer is connected to it.', undefined],
      ['refused', 503, 'Try later', 7],
      ['unexpected', 200, NO_ANSWER, undefined],
      ['unexpected', 200, '"text"', undefined],
    ],
  );
});

test('a page of a proxy is said in a sentence, never shown; one that refuses the size is told apart from the service', () => {
  const said = (status: number, body: string) => refusalError(status, body, null).detail;
  const tooLarge =
    'A proxy in front of the service refuses requests of this size; raise its limit (in nginx: client_max_body_size).';
  // nginx, Caddy, Traefik and Envoy.
  const answers413 = [
    '<html><center><h1>413 Request Entity Too Large',
    '',
    'Request Entity Too Large',
    'Payload Too Large\n',
  ];
  assert.deepEqual(
    answers413.map((body) => said(413, body)),
    answers413.map(() => tooLarge),
  );
  assert.equal(
    said(413, '{"detail":"Artifacts must be smaller than 10 MB."}'),
    'Artifacts must be smaller than 10 MB.',
  );
  assert.equal(said(502, '<h1>Bad gateway</h1>'), NO_ANSWER);
  assert.equal(said(502, '{"message":"<html>Bad gateway"}'), NO_ANSWER);
  assert.equal(said(500, ''), '');
});

test('the plain text of a proxy is quoted as what it is, and that of a plain service stays its own', (t) => {
  t.after(() => noteIdempotency(true));
  const said = (status: number, body: string) => errorLine(refusalError(status, body, null));
  const by = (text: string) => `${NO_ANSWER} It says: ${text}`;
  noteIdempotency(false);
  // Envoy, Envoy, Traefik, and Cloudflare.
  const reset =
    'upstream connect error or disconnect/reset before headers. reset reason: remote connection failure, transport failure reason: delayed connect error: Connection refused';
  for (const [status, text] of [
    [503, reset],
    [503, 'no healthy upstream'],
    [504, 'upstream request timeout'],
    [502, 'Bad Gateway'],
    [520, 'error code: 520'],
  ] as const)
    assert.equal(said(status, text), `The service could not be reached (${status}): ${by(text)}`);
  const haproxy = '<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n';
  assert.equal(said(503, haproxy), `The service could not be reached (503): ${NO_ANSWER}`);
  assert.equal(said(503, '{"message":"Down until nine"}'), 'The service is busy (503): Down until nine');

  assert.equal(said(404, 'no such device'), 'Not found (404): no such device');
  assert.equal(said(500, 'disk full'), 'The service failed (500): disk full');
  // Its additions come with problem documents.
  noteIdempotency(true);
  assert.equal(said(403, 'RBAC: access denied'), `Not allowed (403): ${by('RBAC: access denied')}`);
  assert.equal(said(403, '{"title":"Full","detail":"Delete some."}'), 'Full (403): Delete some.');
});

test('a caller that aborts gets its own abort error', async () => {
  const stop = new AbortController();
  stop.abort();
  answers(new DOMException('aborted', 'AbortError'));
  await assert.rejects(call(jobEndpoints.list, {}, { signal: stop.signal }), { name: 'AbortError' });
});

test('an upload has the key of its submission, because a browser may resend it by itself', async () => {
  const sent: { method: string; path: string; headers: Record<string, string> }[] = [];
  /** The part of XMLHttpRequest that an upload needs. */
  class Transfer {
    readonly upload = {};
    readonly status = 200;
    readonly responseText = '{"ArtifactId":"a1"}';
    readonly headers: Record<string, string> = {};
    onload = () => {};
    open(method: string, path: string) {
      sent.push({ method, path, headers: this.headers });
    }
    setRequestHeader(name: string, value: string) {
      this.headers[name] = value;
    }
    getResponseHeader = () => null;
    send() {
      this.onload();
    }
  }
  Object.assign(globalThis, { XMLHttpRequest: Transfer });
  const form = { size: '1', version: '1', type: 'tar.gz' as const };
  const file = new File(['x'], 'x.tar.gz');
  await upload(artifactEndpoints.upload, { form, file });
  await upload(artifactEndpoints.upload, { form, file });
  const keys = sent.map(({ headers }) => headers['idempotency-key']);
  assert.match(keys[0] ?? '', /^[0-9a-f]{32}$/);
  assert.notEqual(keys[0], keys[1]);
});
