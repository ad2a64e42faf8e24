// Detection of a proxy that TRUSTED_PROXY does not name: from the settings at the start, from its header later.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { readConfig } from '../config.ts';
import { log } from '../operation/log.ts';
import { startTestService } from '../test-service.ts';
import { openProxyNotice, proxyNote } from './proxy-notice.ts';

const PUBLIC_URL = 'https://muster.example.com';

test('an https address without TLS of its own tells of a proxy', () => {
  assert.match(proxyNote(readConfig({ PUBLIC_URL })) ?? '', /TRUSTED_PROXY/);
  assert.equal(proxyNote(readConfig({ PUBLIC_URL, TRUSTED_PROXY: 'loopback' })), undefined);
  assert.equal(proxyNote(readConfig({ PUBLIC_URL: 'http://10.0.0.1' })), undefined);
  assert.equal(proxyNote(readConfig({})), undefined);
});

test('a peer that forwards is named once, a trusted one never, and not without end', () => {
  const lines: string[] = [];
  const notice = openProxyNotice(readConfig({ TRUSTED_PROXY: '10.0.0.1' }), (line) => lines.push(line));
  const ask = (remoteAddress: string, headers: IncomingMessage['headers']) =>
    notice({ headers, socket: { remoteAddress } as IncomingMessage['socket'] });
  ask('10.0.0.2', {});
  ask('10.0.0.1', { 'x-forwarded-for': '1.2.3.4' });
  assert.deepEqual(lines, []);
  for (let turn = 0; turn < 3; turn += 1) ask('::ffff:10.0.0.2', { 'x-forwarded-for': 'evil\n' });
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /set TRUSTED_PROXY=10\.0\.0\.2:/);
  assert.doesNotMatch(lines[0] ?? '', /evil/);
  for (let host = 3; host < 20; host += 1) ask(`10.0.0.${host}`, { forwarded: 'for=1.2.3.4' });
  assert.equal(lines.length, 3);
});

test('the service notices it at the first request', async (t) => {
  const { mock } = t.mock.method(log, 'warn', () => {});
  const service = await startTestService();
  for (let turn = 0; turn < 2; turn += 1)
    await service.call('GET', '/v1/account', undefined, { 'X-Forwarded-For': '1.2.3.4' });
  await service.end();
  assert.equal(mock.callCount(), 1);
  assert.match(String(mock.calls[0]?.arguments[0]), /TRUSTED_PROXY=127\.0\.0\.1/);
});
