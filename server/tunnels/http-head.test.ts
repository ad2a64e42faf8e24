// The rules for headers in tunnels, one by one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headersForDevice, headersForVisitor, targetOf, withoutCookies } from './http-head.ts';

const HOST = 'abc123.localhost:8081';
const nameOf = (rawHeaders: string[], url = '/') => targetOf({ url, rawHeaders }, 'localhost')?.name;

test('a request names its tunnel by one Host, and in no other way', () => {
  for (const host of [HOST, 'abc123.localhost', 'ABC123.LocalHost:80']) assert.equal(nameOf(['Host', host]), 'abc123');
  for (const host of [
    'localhost',
    'abc123.localhost..',
    'abc123.localhost:',
    'abc123.localhost:port',
    'x.abc123.localhost',
    '.abc123.localhost',
    'abc123.localhost@evil.example',
    'abc123.localhost, other.localhost',
    'abc123.localhost/x',
    'abc123.example.com',
    'abc123_.localhost',
    'abc123%2elocalhost',
    '127.0.0.1:8081',
    '[::1]:8081',
    'abc123.[::1]',
    '',
  ])
    assert.equal(nameOf(['Host', host]), undefined, host);
  assert.equal(nameOf([]), undefined);
  assert.equal(nameOf(['Host', HOST, 'host', HOST]), undefined);
  for (const url of ['*', '', 'abc123.localhost:80']) assert.equal(nameOf(['Host', HOST], url), undefined, url);
});

test('a dot at the end of a name is left out', () => {
  for (const [given, host] of [
    [HOST, HOST],
    ['abc123.localhost.', 'abc123.localhost'],
    ['Abc123.localhost.:8081', 'Abc123.localhost:8081'],
  ] as const)
    assert.deepEqual(targetOf({ url: '/a?b', rawHeaders: ['Host', given] }, 'localhost'), {
      name: 'abc123',
      path: '/a?b',
      host,
    });
});

test('an absolute target gives path and query, if its host is the one of Host', () => {
  const pathOf = (url: string) => targetOf({ url, rawHeaders: ['Host', HOST] }, 'localhost')?.path;
  assert.equal(pathOf(`http://${HOST}/a/b?c=http://x/`), '/a/b?c=http://x/');
  assert.equal(pathOf(`HTTPS://ABC123.LocalHost.:8081?q`), '/?q');
  assert.equal(pathOf(`http://${HOST}`), '/');
  for (const url of [
    'http://other.localhost:8081/',
    'http://abc123.localhost/',
    `http://user@${HOST}/`,
    `http://${HOST}/#a`,
    `http:/${HOST}/`,
    `ftp://${HOST}/`,
    `http://evil.example/http://${HOST}/`,
  ])
    assert.equal(pathOf(url), undefined, url);
});

test('a body has one length', () => {
  const of = (...headers: string[]) => nameOf(['Host', HOST, ...headers]);
  assert.equal(of('Content-Length', '5'), 'abc123');
  assert.equal(of('Transfer-Encoding', 'Chunked'), 'abc123');
  for (const headers of [
    ['Content-Length', '5', 'Transfer-Encoding', 'chunked'],
    ['Content-Length', '5', 'content-length', '5'],
    ['Content-Length', '5, 5'],
    ['Content-Length', '+5'],
    ['Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'identity'],
    ['Transfer-Encoding', 'gzip, chunked'],
    ['Transfer-Encoding', 'xchunked'],
  ])
    assert.equal(of(...headers), undefined, headers.join(' '));
});

const visitor = {
  address: '203.0.113.9',
  host: HOST,
  scheme: 'https',
  ownCookies: ['muster_1', '__Host-muster_1'],
  ownSecrets: new Set(['mut_secret']),
};
const forDevice = (...headers: string[]) => {
  const told = headersForDevice(['Host', HOST, ...headers], visitor);
  assert.deepEqual(told.slice(-6), [
    'X-Forwarded-For',
    '203.0.113.9',
    'X-Forwarded-Host',
    HOST,
    'X-Forwarded-Proto',
    'https',
  ]);
  assert.deepEqual(told.slice(0, 2), ['Host', HOST]);
  return told.slice(2, -6);
};
const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`;

test('our cookie and our tokens stay here; a login of the device passes', () => {
  assert.deepEqual(forDevice('Cookie', 'a=1; muster_1=secret; b=2'), ['Cookie', 'a=1; b=2']);
  assert.deepEqual(forDevice('Cookie', 'muster_1=secret'), []);
  assert.deepEqual(forDevice('Cookie', 'a=1', 'cookie', ' __Host-muster_1 =x'), ['Cookie', 'a=1']);
  assert.deepEqual(forDevice('Cookie', 'muster_2=theirs;  odd'), ['Cookie', 'muster_2=theirs;  odd']);
  for (const value of [
    'Bearer mut_secret',
    'bearer  mut_secret ',
    'mut_secret',
    'Token token="mut_secret"',
    basic('mut_secret:x'),
    basic('x:mut_secret'),
  ])
    assert.deepEqual(forDevice('Authorization', value), [], value);
  for (const value of ['Bearer other', basic('admin:admin'), 'Digest username="x", response="y"'])
    assert.deepEqual(forDevice('AUTHORIZATION', value), ['AUTHORIZATION', value]);
});

test('what is between neighbours, and what a visitor may not say of itself, is left out', () => {
  const hops = ['Connection', 'close, X-Hop, Cookie', 'X-Hop', '1', 'Keep-Alive', 'x', 'Upgrade', 'h2c'];
  const claims = ['X-Forwarded-For', '6.6.6.6', 'Forwarded', 'for=6.6.6.6', 'Expect', '100-continue'];
  const rest = ['X-Stays', '2', 'Cookie', 'a=1', 'X-Stays', '3', 'Transfer-Encoding', 'chunked'];
  assert.deepEqual(forDevice(...hops, ...claims, ...rest), [
    'X-Stays',
    '2',
    'Cookie',
    'a=1',
    'X-Stays',
    '3',
    'Transfer-Encoding',
    'chunked',
  ]);
});

test('a cookie comes back only for this very host', () => {
  const kept = (cookie: string) => headersForVisitor(['Set-Cookie', cookie], HOST).length > 0;
  for (const cookie of ['a=1', 'a=1; Path=/; HttpOnly', 'a=domain=x', 'a=1; Domain=ABC123.localhost', 'a=1; Domain='])
    assert.ok(kept(cookie), cookie);
  for (const cookie of [
    'a=1; Domain=localhost',
    'a=1; domain=.localhost',
    'a=1; Domain = localhost ; Path=/',
    'a=1; Domain=abc123.localhost; Domain=localhost',
    'a=1; Domain=other.localhost',
  ])
    assert.ok(!kept(cookie), cookie);
  const cleared = (value: string) => headersForVisitor(['Clear-Site-Data', value], HOST)[1];
  assert.equal(cleared('"cache", "storage"'), '"cache", "storage"');
  assert.equal(cleared('"cache","cookies"'), '"cache"');
  assert.equal(cleared('"*"'), undefined);
  assert.deepEqual(
    headersForVisitor(['Connection', 'keep-alive', 'Content-Type', 'a/b', 'Transfer-Encoding', 'chunked'], HOST),
    ['Content-Type', 'a/b'],
  );
});

test('a cookie header without ours is not touched', () => {
  assert.equal(withoutCookies('a=1;b=2;;', ['muster_1']), 'a=1;b=2;;');
});
