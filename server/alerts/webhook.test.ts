// Webhooks: what a receiver gets, what counts as success, and which addresses are refused.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { once } from 'node:events';
import { afterEach, test } from 'node:test';
import type { AlertMessage } from '#/contract/alerts.ts';
import { isPublicAddress } from './public-address.ts';
import { signatureOf } from './signature.ts';
import { bodyOf, sendWebhook, targetOf, type WebhookOptions } from './webhook.ts';

const message: AlertMessage = {
  Id: 'm1',
  Time: '2026-11-23T10:00:00.000Z',
  Event: 'DeviceOffline',
  Rule: 'R&D <shop>',
  Text: 'a is Offline',
  Devices: [{ DeviceId: 'a', DeviceName: 'a' }],
};
const channel = { url: '', format: 'json', secret: 'a secret of the test' };
const options: WebhookOptions = {
  allowPrivate: true,
  now: () => 1_700_000_000_999,
  signal: new AbortController().signal,
};

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A receiver; `port` of it. */
async function receiver(answer: (request: IncomingMessage, response: ServerResponse, body: string) => void) {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => answer(request, response, body));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('the receiver gets the message, and can verify its signature', async () => {
  let got: { header: unknown; body: string; type: unknown } | undefined;
  const port = await receiver((request, response, body) => {
    got = { header: request.headers['muster-signature'], body, type: request.headers['content-type'] };
    response.writeHead(204).end();
  });
  const sent = await sendWebhook({ ...channel, url: `http://127.0.0.1:${port}/hook?a=b` }, message, options);
  assert.deepEqual(sent, { delivered: true, because: '', status: 204 });
  assert.ok(got);
  assert.deepEqual(JSON.parse(got.body), message);
  assert.equal(got.type, 'application/json');
  const mac = createHmac('sha256', channel.secret).update(`1700000000.${got.body}`).digest('hex');
  assert.equal(got.header, `t=1700000000,v1=${mac}`);
  assert.notEqual(signatureOf('another', got.body, 1_700_000_000_000), got.header);
});

test('a message for Slack has none of its marks in what devices and rules are called', () => {
  const text = (JSON.parse(bodyOf('slack', { ...message, Text: '<!channel> & more' })) as { text: string }).text;
  assert.equal(text, '*R&amp;D &lt;shop&gt;*\n&lt;!channel&gt; &amp; more');
});

test('an answer other than 2xx is a failure; a redirect is not followed', async () => {
  let asked = 0;
  const target = await receiver((_request, response) => {
    asked += 1;
    response.end();
  });
  const port = await receiver(({ url }, response) => {
    if (url === '/moved') response.writeHead(302, { Location: `http://127.0.0.1:${target}/` }).end();
    else response.writeHead(500).end('x'.repeat(100_000));
  });
  const send = (path: string) => sendWebhook({ ...channel, url: `http://127.0.0.1:${port}${path}` }, message, options);
  assert.deepEqual(await send('/'), { delivered: false, because: 'it answered 500', status: 500 });
  const moved = await send('/moved');
  assert.equal(moved.delivered, false);
  assert.match(moved.because, /302, a redirect, which is not followed/);
  assert.equal(asked, 0);
});

test('an answer that does not come, and a connection that fails, are said in words', async () => {
  const port = await receiver(() => {});
  const silent = await sendWebhook({ ...channel, url: `http://127.0.0.1:${port}` }, message, {
    ...options,
    timeoutMs: 50,
  });
  assert.deepEqual(silent, { delivered: false, because: 'no answer within 0.05 seconds' });
  for (const server of servers.splice(0)) {
    server.close();
    (server as unknown as { closeAllConnections: () => void }).closeAllConnections();
    await once(server, 'close');
  }
  const refused = await sendWebhook({ ...channel, url: `http://127.0.0.1:${port}` }, message, options);
  assert.deepEqual(refused, { delivered: false, because: 'the connection was refused' });
});

const PRIVATE = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.100.100.200',
  '169.254.169.254',
  '168.63.129.16',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:8.8.8.8]',
  '[::ffff:a9fe:a9fe]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2002:7f00:1::]',
  '[64:ff9b::7f00:1]',
  '[2001::1]',
  '[2001:db8::1]',
];
const PUBLIC = ['8.8.8.8', '172.32.0.1', '100.128.0.1', '[2606:4700::1111]', '[2a00:1450::1]'];

test('private addresses are refused in each of their forms', async () => {
  for (const host of PRIVATE) {
    const target = await targetOf(new URL(`http://${host}/`), { allowPrivate: false });
    assert.ok('refusal' in target, host);
  }
  for (const host of PUBLIC) {
    const target = await targetOf(new URL(`http://${host}/`), { allowPrivate: false });
    assert.ok('address' in target, host);
  }
  assert.equal(isPublicAddress('example.com'), false);
});

test('a name is refused if any of its addresses is private', async () => {
  const resolve = (...addresses: string[]) =>
    targetOf(new URL('https://hook.example'), {
      allowPrivate: false,
      resolve: () => Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))),
    });
  assert.ok('refusal' in (await resolve('127.0.0.1')));
  assert.ok('refusal' in (await resolve('8.8.8.8', '::1')));
  assert.ok('refusal' in (await resolve()));
  assert.deepEqual(await resolve('8.8.8.8', '2606:4700::1111'), { address: '8.8.8.8', family: 4 });
});

test('a name is resolved once for each attempt, and the connection goes to exactly that address', async () => {
  let host: unknown;
  const port = await receiver((request, response) => {
    host = request.headers.host;
    response.end();
  });
  const answers = ['127.0.0.1', '127.0.0.99'];
  let asked = 0;
  const resolve = () => Promise.resolve([{ address: answers[asked++] ?? '', family: 4 }]);
  const sent = await sendWebhook({ ...channel, url: `http://changes.example:${port}/` }, message, {
    ...options,
    resolve,
  });
  assert.equal(sent.delivered, true);
  assert.equal(asked, 1);
  assert.equal(host, `changes.example:${port}`);
  // By the next attempt the name leads elsewhere, and is checked anew.
  const closed = { ...options, allowPrivate: false, resolve };
  const next = await sendWebhook({ ...channel, url: `http://changes.example:${port}/` }, message, closed);
  assert.match(next.because, /private address/);
  assert.equal(asked, 2);
});
