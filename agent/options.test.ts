// The command line: sources of the key, what is stored, and the errors for missing values.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { storeSettings, readOptions } from './options.ts';
import { AGENT_VERSION } from './version.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'muster-options-'));
});
after(() => rmSync(folder, { recursive: true }));

const SERVER = ['--server', 'http://127.0.0.1:8080/'];

test('the key comes from a file before the environment before the command line', () => {
  const file = path.join(folder, 'device.key');
  writeFileSync(file, 'mdk_file\n');
  const key = (args: string[], env: NodeJS.ProcessEnv = {}) => {
    const settings = readOptions([...SERVER, '--data', folder, ...args], env);
    return typeof settings === 'string' ? settings : settings.key;
  };
  assert.equal(key(['--key-file', file, '--key', 'mdk_line'], { DEVICE_KEY: 'mdk_env' }), 'mdk_file');
  assert.equal(key(['--key', 'mdk_line'], { DEVICE_KEY: 'mdk_env' }), 'mdk_env');
  assert.equal(key(['--key', 'mdk_line']), 'mdk_line');
});

test('each device has its own folder by default', () => {
  const data = (key: string) => {
    const settings = readOptions([...SERVER, '--key', key], { XDG_STATE_HOME: folder });
    return typeof settings === 'string' ? '' : settings.data;
  };
  assert.match(data('mdk_one'), /muster-agent\/[0-9a-f]{12}$/);
  assert.ok(data('mdk_one').startsWith(folder));
  assert.equal(data('mdk_one'), data('mdk_one'));
  assert.notEqual(data('mdk_one'), data('mdk_two'));
});

test('key and server are stored readable by their owner only, and found again', () => {
  const data = path.join(folder, 'kept');
  storeSettings({ server: 'https://muster.example.com', key: 'mdk_kept', data });
  assert.equal(statSync(path.join(data, 'key')).mode & 0o777, 0o600);
  assert.equal(readFileSync(path.join(data, 'key'), 'utf8'), 'mdk_kept\n');
  assert.deepEqual(readOptions(['--data', data], {}), {
    server: 'https://muster.example.com',
    key: 'mdk_kept',
    keyFiles: [path.join(data, 'key')],
    data,
    enrolment: undefined,
    pair: false,
    tunnels: [],
    allowTunnels: 'none',
    install: undefined,
  });
});

test('without a key it is the one device that has run on this machine for that server', () => {
  const state = mkdtempSync(path.join(folder, 'state-'));
  const env = { XDG_STATE_HOME: state };
  const ran = (key: string, server: string) => {
    const settings = readOptions(['--server', server, '--key', key], env);
    assert.ok(typeof settings !== 'string' && settings.key !== undefined);
    storeSettings({ ...settings, key: settings.key });
  };
  const keyOf = (args: string[]) => {
    const settings = readOptions(args, env);
    return typeof settings === 'string' ? '' : settings.key;
  };
  ran('mdk_one', 'http://127.0.0.1:8080');
  assert.equal(keyOf([...SERVER, '--tunnel', 'http://127.0.0.1:3000']), 'mdk_one');
  assert.equal(keyOf([]), 'mdk_one');
  ran('mdk_two', 'https://muster.example.com');
  assert.equal(keyOf(SERVER), 'mdk_one');
  assert.throws(() => readOptions([], env), /Several devices have run on this machine/);
  assert.throws(() => readOptions(['--server', 'http://other.example.com'], env), /No device key/);
});

test('what is missing or wrong is named', () => {
  const env = { XDG_STATE_HOME: path.join(folder, 'none') };
  const says = (args: string[], text: RegExp) => assert.throws(() => readOptions(args, env), text);
  says(SERVER, /No device key/);
  says([...SERVER, '--data', path.join(folder, 'empty')], /No device key is stored in/);
  says(['--key', 'mdk_x'], /No address/);
  says(['--key', 'mdk_x', '--server', 'muster.example.com'], /--server is "muster.example.com"/);
  says(['--key', 'mdk_x', '--server', 'ftp://x'], /http or https/);
  says(['--key', 'two words', ...SERVER], /no device key/);
  says(['--key-file', path.join(folder, 'none'), ...SERVER], /cannot be read/);
  says(['--kee', 'x'], /Unknown option '--kee'.*--help/);
});

test('what the service may open tunnels to is chosen at the start, and is nothing by default', () => {
  const allowed = (args: string[], env: NodeJS.ProcessEnv = {}) => {
    const settings = readOptions([...SERVER, '--key', 'mdk_x', '--data', folder, ...args], env);
    return typeof settings === 'string' ? '' : settings.allowTunnels;
  };
  assert.equal(allowed([]), 'none');
  assert.equal(allowed(['--allow-tunnels', 'loopback']), 'loopback');
  assert.equal(allowed(['--allow-tunnels', 'loopback, 10.0.0.1:80']), 'loopback,10.0.0.1:80');
  assert.equal(allowed([], { MUSTER_ALLOW_TUNNELS: 'loopback' }), 'loopback');
  assert.equal(allowed(['--allow-tunnels', 'none'], { MUSTER_ALLOW_TUNNELS: 'loopback' }), 'none');
  assert.throws(() => allowed(['--allow-tunnels', 'everything']), /--allow-tunnels is "everything"/);
  assert.throws(() => readOptions(['--allow-tunnels', 'everything', '--version'], {}), /must be none, loopback/);
});

test('help and version', () => {
  assert.equal(readOptions(['--help'], {}), 'help');
  assert.equal(readOptions(['--version'], {}), 'version');
  const { version } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../package.json'), 'utf8')) as {
    version: string;
  };
  assert.equal(AGENT_VERSION, version);
});

test('an enrolment key joins once: afterwards its file is gone and the stored key counts', () => {
  const file = path.join(folder, 'enrol-key');
  writeFileSync(file, 'mek_shared\n');
  const args = [...SERVER, '--data', path.join(folder, 'joins'), '--enrol-key-file', file];
  const first = readOptions(args, {});
  assert.ok(typeof first !== 'string');
  assert.deepEqual([first.key, first.enrolment], [undefined, { enrolKey: 'mek_shared', enrolKeyFile: file }]);
  storeSettings({ ...first, key: 'mdk_own' });
  rmSync(file);
  const later = readOptions(args, {});
  assert.ok(typeof later !== 'string');
  assert.deepEqual([later.key, later.enrolment], ['mdk_own', undefined]);
  assert.throws(
    () => readOptions([...SERVER, '--data', path.join(folder, 'none'), '--enrol-key-file', file], {}),
    /--enrol-key-file/,
  );
});
