import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import {
  KEY_PLACEHOLDER,
  installCommands,
  isLoopback,
  nodeNeeded,
  shellWord,
  updateCommand,
} from './install-commands.ts';

test('the commands contain the address and the key', () => {
  assert.deepEqual(installCommands('https://muster.example.com', 'dk_Ab-9'), {
    curl: 'curl -fsSL https://muster.example.com/install.sh | DEVICE_KEY=dk_Ab-9 sh',
    wget: 'wget -qO- https://muster.example.com/install.sh | DEVICE_KEY=dk_Ab-9 sh',
    clone: 'npm run agent -- --server https://muster.example.com --key dk_Ab-9',
  });
});

test('only on request does the device allow tunnels to its own ports', () => {
  const { curl, wget, clone } = installCommands('http://10.0.0.5:8080', 'k', { allowTunnels: true });
  for (const command of [curl, wget]) assert.match(command, / sh -s -- --insecure --allow-tunnels loopback$/);
  assert.match(clone, / --key k --allow-tunnels loopback$/);
  assert.match(
    installCommands('https://muster.example.com', 'k', { allowTunnels: true }).curl,
    / sh -s -- --allow-tunnels loopback$/,
  );
});

test('over plain http from another host the commands say --insecure', () => {
  const { curl, wget } = installCommands('http://10.0.0.5:8080', 'k');
  assert.equal(curl, 'curl -fsSL http://10.0.0.5:8080/install.sh | DEVICE_KEY=k sh -s -- --insecure');
  assert.equal(wget, 'wget -qO- http://10.0.0.5:8080/install.sh | DEVICE_KEY=k sh -s -- --insecure');
  assert.match(updateCommand('http://10.0.0.5:8080'), / -s -- --update --insecure$/);
  for (const origin of ['https://muster.example.com', 'http://127.0.0.1:8080', 'http://localhost']) {
    assert.doesNotMatch(installCommands(origin, 'k').curl, /insecure/);
    assert.doesNotMatch(updateCommand(origin), /insecure/);
  }
});

test('a shell reads every key back unchanged, whatever characters it has', () => {
  for (const key of ['plain-1_2.3', "it's", '$(id)', 'a b;c|d&', '"`\\', KEY_PLACEHOLDER, '*', '#x', '~', 'two\nlines'])
    assert.equal(execFileSync('sh', ['-c', `printf %s ${shellWord(key)}`], { encoding: 'utf8' }), key);
});

test('loopback addresses are distinguished from those that others can reach', () => {
  for (const origin of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080', 'http://a.localhost'])
    assert.equal(isLoopback(origin), true, origin);
  for (const origin of ['http://192.168.1.5:8080', 'https://localhost.example.com', 'https://muster.example.com'])
    assert.equal(isLoopback(origin), false, origin);
});

test('what a device needs before is what the service cannot bring along, in one sentence without a contradiction', () => {
  assert.match(
    nodeNeeded(['linux-arm64', 'linux-x64']),
    /^On most Linux devices \(x64 and arm64\) nothing needs to be/,
  );
  for (const none of [[], undefined]) assert.doesNotMatch(nodeNeeded(none), /nothing/);
});

test('devices that join by an enrolment key or a code allow tunnels too', () => {
  const of = (by: 'enrolment' | 'pairing') =>
    installCommands('https://muster.example.com', 'ek', { by, allowTunnels: true }).curl;
  assert.match(of('enrolment'), /\| ENROL_KEY=ek sh -s -- --allow-tunnels loopback$/);
  assert.match(of('pairing'), /install\.sh \| sh -s -- --pair --allow-tunnels loopback$/);
});
