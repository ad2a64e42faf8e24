import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSafeAddress, readAddress } from '#/api/direct.ts';

const PAGE = 'http://dashboard.lan';

test('the address is the one written into the page', () => {
  assert.equal(readAddress('', PAGE), undefined);
  assert.equal(readAddress(' same-origin ', PAGE), PAGE);
  assert.equal(readAddress('https://api.example.com/iot/', PAGE), 'https://api.example.com/iot');
});

test('a token goes over TLS, to this machine, or to the host of the page', () => {
  for (const safe of ['https://api.example.com', 'http://127.0.0.1:8080', 'http://[::1]:1', PAGE])
    assert.ok(isSafeAddress(safe, PAGE), safe);
  for (const unsafe of ['http://api.example.com', 'https://a:b@example.com', 'api.example.com', 'javascript:1'])
    assert.ok(!isSafeAddress(unsafe, PAGE), unsafe);
});
