// E-mails of alerts, to a real SMTP server of the test.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import type { AlertMessage } from '#/contract/alerts.ts';
import { startTestSmtp, type TestSmtp } from '../../scripts/test-smtp.ts';
import { sendEmail } from './email.ts';

let smtp: TestSmtp;
beforeEach(async () => {
  smtp = await startTestSmtp();
});
afterEach(() => smtp.close());

const never = new AbortController().signal;
const message: AlertMessage = {
  Id: 'm1',
  Time: '2026-11-23T10:00:00.000Z',
  Event: 'DeviceOffline',
  Rule: 'Shops',
  Text: 'till is Offline\nkiosk is Offline',
  Devices: [],
};
const send = (change: Partial<AlertMessage> = {}, to = ['ops@example.com', 'boss@example.com']) =>
  sendEmail({ url: smtp.url, from: 'muster@example.com' }, to, { ...message, ...change }, never);

test('all addresses get the message, with the same Message-ID on each repeat', async () => {
  assert.deepEqual(await send(), { delivered: true, because: '' });
  await send();
  const [first, second] = smtp.received;
  assert.equal(first?.from, 'muster@example.com');
  assert.deepEqual(first.to, ['ops@example.com', 'boss@example.com']);
  assert.match(first.text, /^Subject: \[Muster\] Shops: till is Offline$/m);
  assert.match(first.text, /^kiosk is Offline$/m);
  const idOf = (text = '') => /^Message-ID: (.*)$/m.exec(text)?.[1];
  assert.equal(idOf(first.text), '<m1@muster.alerts>');
  assert.equal(idOf(second?.text), idOf(first.text));
});

test('what rules and devices are called adds no header and no recipient', async () => {
  const evil = 'Shops\r\nBcc: spy@example.com\r\n\r\n.\r\nMAIL FROM:<x@y>';
  assert.equal((await send({ Rule: evil, Text: `${evil}\n.\nRCPT TO:<spy@example.com>` })).delivered, true);
  assert.equal(smtp.received.length, 1);
  const [{ to, text } = { to: [], text: '' }] = smtp.received;
  assert.deepEqual(to, ['ops@example.com', 'boss@example.com']);
  const head = text.slice(0, text.indexOf('\n\n'));
  assert.doesNotMatch(head, /^(bcc|mail|rcpt)/im);
});

test('a refusal and a server that is not there are said without what the server wrote', async () => {
  smtp.refuse();
  assert.deepEqual(await send(), { delivered: false, because: 'the SMTP server refused the addresses (550)' });
  const gone = { url: 'smtp://user:secret@127.0.0.1:1', from: 'muster@example.com' };
  const { delivered, because } = await sendEmail(gone, ['ops@example.com'], message, never);
  assert.equal(delivered, false);
  assert.doesNotMatch(because, /secret/);
  assert.equal(because, 'the connection was refused');
});

test('a certificate of STARTTLS that is not trusted is named, with the setting that helps', async (t) => {
  const secure = await startTestSmtp({ startTls: true });
  t.after(() => secure.close());
  const settings = { url: secure.url, from: 'muster@example.com' };
  const { delivered, because } = await sendEmail(settings, ['ops@example.com'], message, never);
  assert.equal(delivered, false);
  assert.match(because, /^its certificate is self-signed: .*NODE_EXTRA_CA_CERTS/);
  assert.deepEqual(secure.received, []);
});

test('a stop ends an attempt whose server says nothing, and its connection', async (t) => {
  const silent = createServer().listen(0, '127.0.0.1');
  t.after(() => silent.close());
  await once(silent, 'listening');
  const stop = new AbortController();
  const settings = { url: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`, from: 'muster@example.com' };
  // The limits of time would end it, too: they must not pass here.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const attempt = sendEmail(settings, ['ops@example.com'], message, stop.signal);
  const [socket] = (await once(silent, 'connection')) as [Socket];
  socket.resume();
  const ended = once(socket, 'close');
  stop.abort();
  assert.deepEqual(await attempt, { delivered: false, because: 'the service was stopped' });
  await ended;
});
