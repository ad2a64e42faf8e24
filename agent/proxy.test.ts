import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loginOf, proxyFor } from './proxy.ts';
import { UsageError } from './usage-error.ts';

const proxyOf = (target: string, env: Record<string, string>) => proxyFor(new URL(target), env)?.href;

test('without a variable, or with an empty one, there is no proxy', () => {
  assert.equal(proxyOf('https://muster.example.com', {}), undefined);
  assert.equal(proxyOf('https://muster.example.com', { https_proxy: '', ALL_PROXY: '', no_proxy: 'x' }), undefined);
});

test('the scheme of the address decides which variable counts, in lower case first; all_proxy is the last', () => {
  const env = { http_proxy: 'http://plain:1', HTTPS_PROXY: 'http://upper:2', ALL_PROXY: 'http://all:3' };
  assert.equal(proxyOf('http://muster.example.com', env), 'http://plain:1/');
  assert.equal(proxyOf('ws://muster.example.com/agent/link', env), 'http://plain:1/');
  assert.equal(proxyOf('wss://muster.example.com', env), 'http://upper:2/');
  assert.equal(proxyOf('https://muster.example.com', { ...env, https_proxy: 'http://lower:4' }), 'http://lower:4/');
  assert.equal(proxyOf('https://muster.example.com', { all_proxy: 'http://all:3' }), 'http://all:3/');
  assert.equal(proxyOf('http://muster.example.com', { HTTP_PROXY: 'http://upper:5' }), 'http://upper:5/');
});

test('an address without a scheme is that of an http proxy, and a login is decoded', () => {
  assert.equal(proxyOf('http://m', { http_proxy: 'proxy:3128' }), 'http://proxy:3128/');
  const proxy = proxyFor(new URL('http://m'), { http_proxy: 'http://anna:p%40ss%3Aw%2Frd@proxy:3128' });
  assert.equal(proxy && loginOf(proxy), 'anna:p@ss:w/rd');
  assert.equal(loginOf(new URL('http://proxy:3128')), undefined);
  assert.equal(loginOf(new URL('http://token@proxy:3128')), 'token:');
});

test('what is no proxy is refused with its variable, and without its password', () => {
  const refusal = (env: Record<string, string>): string => {
    try {
      return `${proxyOf('https://m', env)}`;
    } catch (error) {
      assert.ok(error instanceof UsageError);
      return error.message;
    }
  };
  assert.match(
    refusal({ ALL_PROXY: 'socks5://u:secret@proxy:1080' }),
    /^ALL_PROXY is "socks5:\/\/proxy:1080", which is /,
  );
  assert.match(refusal({ https_proxy: 'http://u:se@cret@:x' }), /^https_proxy is "http:\/\/:x", which is no proxy/);
  assert.match(refusal({ https_proxy: 'http://u:50%@proxy' }), /^The login in https_proxy has a "%"/);
});

/** By the rules of curl; with the list, addresses that it exempts, and ones that it does not. */
const LISTS: [list: string, direct: string[], proxied: string[]][] = [
  ['*', ['http://a.example.com', 'https://10.1.2.3', 'ws://[::1]'], []],
  ['example.com', ['http://example.com', 'wss://a.example.com:8443', 'http://EXAMPLE.com.'], ['http://badexample.com']],
  ['.example.com', ['http://example.com', 'http://a.b.example.com'], ['http://example.com.evil.net']],
  ['*.example.com', ['http://a.example.com'], ['http://aexample.com']],
  ['Example.COM., other.net', ['http://a.example.com', 'http://other.net'], ['http://third.net']],
  ['one.net two.net', ['http://one.net', 'http://two.net'], ['http://one.net.two']],
  ['example.com:8080', ['http://a.example.com:8080'], ['http://example.com', 'https://example.com:8443']],
  ['example.com:443', ['https://example.com', 'wss://example.com'], ['http://example.com']],
  ['10.1.2.3', ['http://10.1.2.3:8080'], ['http://110.1.2.3', 'http://10.1.2.30', 'http://x.10.1.2.3.example']],
  ['10.1.2.3:8080', ['http://10.1.2.3:8080'], ['http://10.1.2.3']],
  ['10.0.0.0/8,192.168.4.0/22', ['http://10.200.3.4', 'http://192.168.7.1'], ['http://11.0.0.1', 'http://192.168.8.1']],
  ['0.0.0.0/0', ['http://11.0.0.1'], ['http://example.com', 'http://[::1]']],
  ['::1', ['ws://[::1]:8080'], ['ws://[::2]:8080']],
  ['[::1]:8080', ['ws://[::1]:8080'], ['ws://[::1]']],
  ['fd00::/8', ['http://[fd12:3456::1]'], ['http://[fe80::1]', 'http://10.0.0.1']],
  ['10.0.0.0/33,10.0.0.0/,10.0.0.0/x', [], ['http://10.0.0.0', 'http://10.0.0.1']],
  ['.,,  , .', [], ['http://example.com', 'http://10.0.0.1']],
  ['0.0.1', [], ['http://127.0.0.1']],
];
for (const [list, direct, proxied] of LISTS)
  test(`no_proxy "${list}"`, () => {
    const env = { http_proxy: 'proxy:1', https_proxy: 'proxy:1', NO_PROXY: list };
    for (const target of direct) assert.equal(proxyOf(target, env), undefined, target);
    for (const target of proxied) assert.equal(proxyOf(target, env), 'http://proxy:1/', target);
  });
