// Only http and https addresses become links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressText, webAddress } from './web-address.ts';

test('addresses of web pages become links', () => {
  assert.equal(webAddress('https://a1b2.tunnels.example:8443/x?y=1'), 'https://a1b2.tunnels.example:8443/x?y=1');
  assert.equal(webAddress(' HTTP://A1b2.localhost:8081 '), 'http://a1b2.localhost:8081/');
});

test('a Unicode host is shown and opened in punycode', () => {
  assert.equal(webAddress('https://аpple.com/x'), 'https://xn--pple-43d.com/x');
  assert.equal(addressText('https://аpple.com/x'), 'https://xn--pple-43d.com/x');
  assert.equal(addressText('https://good.example\n.evil.example'), 'https://good.example.evil.example/');
  assert.equal(addressText('https://a1b2.tunnels.example'), 'https://a1b2.tunnels.example');
  assert.equal(addressText('not an аddress'), 'not an аddress');
});

test('anything else stays text', () => {
  for (const text of [
    'N/A',
    '',
    'example.com',
    '//example.com',
    'http:example.com',
    'https://',
    'http://[bad',
    'tcp://example.com:22',
    'javascript:alert(1)',
    'JavaScript://example.com/%0aalert(1)',
    'data:text/html,<script>1</script>',
    'blob:https://example.com/1',
    'file:///etc/passwd',
    'https://bank.example@evil.example',
    'https://bank.example:x@evil.example',
    'https://:@evil.example:80@other.example',
    'view-source:https://example.com',
  ])
    assert.equal(webAddress(text), undefined, text);
});
