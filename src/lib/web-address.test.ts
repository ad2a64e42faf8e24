// Only http and https addresses become links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webAddress } from './web-address.ts';

test('addresses of web pages', () => {
  assert.equal(webAddress('https://a1b2.tunnels.example:8443/x?y=1'), 'https://a1b2.tunnels.example:8443/x?y=1');
  assert.equal(webAddress(' HTTP://A1b2.localhost:8081 '), 'http://a1b2.localhost:8081/');
});

test('everything else stays text', () => {
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
    'view-source:https://example.com',
  ])
    assert.equal(webAddress(text), undefined, text);
});
