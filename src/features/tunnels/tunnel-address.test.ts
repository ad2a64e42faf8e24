import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyHere, portExposure, publicAddress, sshCommand } from './tunnel-address.ts';

test('the public address is from PublicUrl or PublicAddr, or there is none', () => {
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

test('there is an ssh command only for an SSH server, and only an address reaches the shell', () => {
  const of = (LocalDest: string, PublicAddr: string) => sshCommand({ LocalDest, PublicAddr, PublicUrl: 'N/A' });
  assert.equal(of('tcp://127.0.0.1:22', 'muster.example:40022'), 'ssh -p 40022 muster.example');
  assert.equal(of('localhost:2222', '[2001:db8::1]:40022'), 'ssh -p 40022 2001:db8::1');
  assert.equal(of('ssh://10.0.0.2:9022', 'tcp://muster.example:40022'), 'ssh -p 40022 muster.example');
  assert.equal(of('tcp://127.0.0.1:5432', 'muster.example:40022'), undefined);
  for (const hostile of ['-oProxyCommand=sh:22', 'a;reboot:22', '$(reboot):22', 'a b:22', '', 'host:99999999'])
    assert.equal(of('tcp://127.0.0.1:22', hostile), undefined);
  assert.equal(sshCommand({ LocalDest: '127.0.0.1:22', PublicAddr: undefined, PublicUrl: 'N/A' }), undefined);
});

test('a TCP port says who can connect', () => {
  const of = (PublicAddr: string, more: object = {}) =>
    portExposure({ PublicUrl: 'N/A', PublicAddr, Protocol: 'tcp', Auth: undefined, ...more })?.text;
  assert.equal(of('muster.example:40022'), 'Open TCP port');
  for (const here of ['127.0.0.1:20066', 'localhost:20066', '[::1]:20066', 'tcp://127.0.0.1:20066'])
    assert.equal(of(here), 'TCP port, this machine only', here);
  assert.equal(of('muster.example:40022', { Auth: 'Basic' }), undefined);
  assert.equal(of('muster.example:40022', { Protocol: 'HTTP' }), undefined);
  assert.equal(of(''), undefined);
});

test('an address that means this machine is not for a phone', () => {
  for (const address of ['http://a1b2.localhost:8081', 'http://127.0.0.1:3000/', 'http://[::1]:80'])
    assert.match(onlyHere(address) ?? '', /a phone cannot reach it/);
  for (const address of ['https://a1b2.tunnels.example', 'http://192.168.1.4:8081', 'N/A', 'not an address'])
    assert.equal(onlyHere(address), undefined);
});
