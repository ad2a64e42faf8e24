// What a device allows, and the tricks that must not get more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allows, allowsResolved, parseAllowance, parseDestination } from './tunnel-allowance.ts';

/** Whether an allowance allows a destination; a destination that is none is refused. */
function isAllowed(allowed: string, dest: string): boolean {
  const allowance = parseAllowance(allowed);
  const destination = parseDestination(dest);
  assert.ok(allowance, allowed);
  return destination !== undefined && allows(allowance, destination);
}

/** Whether a name may be reached at an address. */
function isReached(allowed: string, dest: string, address: string): boolean {
  const [allowance, destination] = [parseAllowance(allowed), parseDestination(dest)];
  assert.ok(allowance && destination);
  return allowsResolved(allowance, destination, address);
}

test('a destination has one spelling', () => {
  const spelled = (text: string) => parseDestination(text)?.dest;
  assert.equal(spelled('HTTP://LocalHost/'), 'http://localhost:80');
  assert.equal(spelled('tcp://[0:0::1]:22'), 'tcp://[::1]:22');
  assert.equal(spelled('tcp://[::ffff:127.0.0.1]:22'), 'tcp://127.0.0.1:22');
  assert.equal(spelled('tcp://[::ffff:7f00:1]:22'), 'tcp://127.0.0.1:22');
  for (const text of ['tcp://0x7f.1:22', 'tcp://2130706433:22', 'tcp://127.1:22', 'tcp://0177.0.0.1:22'])
    assert.equal(spelled(text), 'tcp://127.0.0.1:22', text);
  for (const text of [
    'tcp://localhost.:22',
    'tcp://127.0.0.1',
    'tcp://user@127.0.0.1:22',
    'tcp://@127.0.0.1:22',
    'tcp://127.0.0.1:22/x',
    'tcp://127.0.0.1:22#',
    'tcp://127.0.0.1:22?',
    'tcp://127.0.0.1\\@x:22',
    'tcp://127.0.0.1:22\n',
    'tcp:// 127.0.0.1:22',
    'tcp://[fe80::1%25eth0]:22',
    'tcp://127.0.0.1:0',
    'tcp://127.0.0.1:65536',
    'ssh://127.0.0.1:22',
    `tcp://${'a'.repeat(300)}:22`,
    '',
  ])
    assert.equal(spelled(text), undefined, JSON.stringify(text));
});

test('loopback is this device, in every spelling, and nothing else', () => {
  for (const dest of [
    'tcp://127.0.0.1:22',
    'tcp://127.9.9.9:1',
    'http://localhost',
    'tcp://[::1]:22',
    'tcp://[::ffff:127.0.0.1]:22',
  ])
    assert.equal(isAllowed('loopback', dest), true, dest);
  for (const dest of [
    'tcp://0.0.0.0:22',
    'tcp://[::]:22',
    'tcp://10.0.0.1:22',
    'tcp://[::ffff:10.0.0.1]:22',
    'tcp://[::127.0.0.1]:22',
    'tcp://128.0.0.1:22',
    'http://localhost.:80',
    'http://localhost.example.com:80',
    'http://x.localhost:80',
    'http://127.0.0.1.example.com:80',
    'http://169.254.169.254:80',
  ])
    assert.equal(isAllowed('loopback', dest), false, dest);
});

test('nothing is allowed by default, and an allowance that cannot be read is none at all', () => {
  for (const dest of ['tcp://127.0.0.1:22', 'http://localhost:80']) assert.equal(isAllowed('none', dest), false);
  for (const text of [
    '',
    'all',
    'loopback,',
    'loopback loopback',
    'none,loopback',
    'Loopback',
    '10.0.0.1',
    '10.0.0.1:0',
    '10.0.0.1:70000',
    '10.0.0.1:9-8',
    '10.0.0.256:80',
    '10.0.0.0/33:80',
    '0x7f.1:80',
    '::1:80',
    '[x]:80',
    '**:80',
    'a*:80',
    'http://a:80',
    'x'.repeat(1001),
    Array(51).fill('a:1').join(','),
  ])
    assert.equal(parseAllowance(text), undefined, text);
});

test('a pattern allows its host and its port only', () => {
  const list = 'printer.lan:631, *.plant.example:8000-8099, 192.168.1.0/24:80,[fd00::/8]:*';
  for (const dest of [
    'tcp://printer.lan:631',
    'tcp://PRINTER.lan:631',
    'http://a.b.plant.example:8000',
    'http://192.168.1.255',
    'http://[::ffff:192.168.1.7]:80',
    'tcp://[fd12::1]:5',
  ])
    assert.equal(isAllowed(list, dest), true, dest);
  for (const dest of [
    'tcp://printer.lan:632',
    'tcp://xprinter.lan:631',
    'http://plant.example:8000',
    'http://evilplant.example:8000',
    'http://a.plant.example:8100',
    'http://192.168.2.1',
    'http://192.168.1.1:81',
    'tcp://[fe12::1]:5',
    'tcp://127.0.0.1:80',
    'tcp://localhost:631',
  ])
    assert.equal(isAllowed(list, dest), false, dest);
  assert.equal(isAllowed('*:22', 'tcp://127.0.0.1:22'), true);
  assert.equal(isAllowed('*:22', 'tcp://127.0.0.1:23'), false);
});

test('a name that resolves elsewhere is not followed there', () => {
  assert.equal(isReached('loopback', 'http://localhost', '127.0.0.1'), true);
  assert.equal(isReached('loopback', 'http://localhost', '::ffff:127.0.0.1'), true);
  for (const address of ['10.0.0.1', '0.0.0.0', '::', '::ffff:10.0.0.1', '169.254.169.254', 'localhost', ''])
    assert.equal(isReached('loopback', 'http://localhost', address), false, address);

  assert.equal(isReached('printer.lan:80', 'http://printer.lan', '192.168.1.9'), true);
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '0.0.0.0', '169.254.169.254', 'fe80::1', '224.0.0.1'])
    assert.equal(isReached('printer.lan:80', 'http://printer.lan', address), false, address);
  // Unless the owner allows that address itself.
  assert.equal(isReached('printer.lan:80,loopback', 'http://printer.lan', '127.0.0.1'), true);
  assert.equal(isReached('printer.lan:80,127.0.0.1:81', 'http://printer.lan', '127.0.0.1'), false);
  assert.equal(isReached('loopback', 'http://other.lan', '127.0.0.1'), false);
});
