// Which destinations and settings are accepted, and the errors for all others.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { readTunnels } from './tunnel-options.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'muster-tunnel-options-'));
});
after(() => rmSync(folder, { recursive: true }));

const file = (text: string) => {
  const name = path.join(folder, 'agent.json');
  writeFileSync(name, text);
  return name;
};

test('a destination is a scheme, a host and a port, and nothing more', () => {
  const dest = (text: string) =>
    readTunnels([text], undefined).map(({ dest: read, protocol }) => `${protocol} ${read}`)[0];
  assert.equal(dest('http://127.0.0.1:3000'), 'HTTP http://127.0.0.1:3000');
  assert.equal(dest('HTTP://LocalHost/'), 'HTTP http://localhost:80');
  assert.equal(dest('tcp://127.0.0.1:22'), 'TCP tcp://127.0.0.1:22');
  assert.equal(dest('tcp://127.0.0.1:80'), 'TCP tcp://127.0.0.1:80');
  assert.equal(readTunnels(['tcp://[::1]:22'], undefined)[0]?.host, '::1');
  for (const text of [
    'tcp://127.0.0.1',
    'http://x/path',
    'ftp://x:1',
    '127.0.0.1:22',
    'http://a:b@x',
    'tcp://x:99999',
    '',
  ])
    assert.throws(() => dest(text), /must be an address like/, text);
});

test('the file may say who gets in and for how long; of two with one destination its own counts', () => {
  const one = { to: 'http://127.0.0.1:3000', login: 'anna:pass:word', idle: '15m', expires: '8h' };
  const tunnels = readTunnels(
    ['http://127.0.0.1:3000', 'tcp://127.0.0.1:22'],
    file(JSON.stringify({ tunnels: [one] })),
  );
  assert.deepEqual(
    tunnels.map(({ dest, login, idleSeconds, lifeSeconds }) => [dest, login, idleSeconds, lifeSeconds]),
    [
      ['http://127.0.0.1:3000', 'anna:pass:word', 900, 28_800],
      ['tcp://127.0.0.1:22', undefined, undefined, undefined],
    ],
  );
  for (const [text, said] of [
    ['{', /cannot be read/],
    ['[]', /must hold/],
    ['{"tunnels":[{}]}', /without "to"/],
    ['{"tunnels":[{"to":"tcp://x:1","login":"a:b"}]}', /wrong "login"/],
    ['{"tunnels":[{"to":"http://x:1","idle":"soon"}]}', /wrong "idle"/],
    ['{"tunnels":[{"to":"http://x:1","pass":"b"}]}', /"pass"/],
    ['{"tunnels":[],"key":"x"}', /"key"/],
  ] as const)
    assert.throws(() => readTunnels([], file(text)), said, text);
});
