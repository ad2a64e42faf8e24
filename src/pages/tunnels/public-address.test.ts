// One address for the reader, from PublicUrl or PublicAddr.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicAddress } from './public-address.ts';

test('a web address, a TCP address, none', () => {
  const web = 'https://a1b2.tunnels.example';
  assert.deepEqual(publicAddress({ PublicUrl: web, PublicAddr: undefined }), { text: web, copy: web });
  assert.deepEqual(publicAddress({ PublicUrl: 'N/A', PublicAddr: 'muster.example:40022' }), {
    text: 'muster.example:40022',
    copy: 'muster.example:40022',
  });
  for (const PublicUrl of ['N/A', 'n/a'])
    assert.deepEqual(publicAddress({ PublicUrl, PublicAddr: undefined }), { text: PublicUrl, copy: '' });
  assert.deepEqual(publicAddress({ PublicUrl: '', PublicAddr: undefined }), { text: 'N/A', copy: '' });
});
