// A device key that the service replaces: at any moment a whole key is where the next start finds it.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { PowerCut, UnsafeDisk } from '../scripts/test-power.ts';
import { DeviceKey } from './device-key.ts';
import { readOptions, storeSettings, type Settings } from './options.ts';

let base: string;
before(() => {
  base = mkdtempSync(path.join(tmpdir(), 'muster-device-key-'));
});
after(() => rmSync(base, { recursive: true }));

/** A folder in which an agent with a key file has run. */
function started(): { folder: string; files: string[] } {
  const folder = mkdtempSync(path.join(base, 'device-'));
  mkdirSync(path.join(folder, 'data'));
  const files = [path.join(folder, 'data', 'key'), path.join(folder, 'key')];
  for (const file of files) writeFileSync(file, 'mdk_old\n', { mode: 0o600 });
  return { folder, files };
}

function settingsOf(args: string[], env: NodeJS.ProcessEnv = {}): Settings {
  const settings = readOptions(['--server', 'http://127.0.0.1:1', ...args], env);
  assert.ok(typeof settings !== 'string');
  return settings;
}
const inFolder = (folder: string) => ['--key-file', path.join(folder, 'key'), '--data', path.join(folder, 'data')];

test('a new key is in all its files, for their owner only, and the next start uses it', () => {
  const { folder, files } = started();
  const { key = '', keyFiles } = settingsOf(inFolder(folder));
  assert.deepEqual(keyFiles, files);
  const deviceKey = new DeviceKey(key, keyFiles);
  assert.equal(deviceKey.unable, '');
  deviceKey.replace('mdk_new');
  assert.equal(deviceKey.value, 'mdk_new');
  for (const file of files) {
    assert.equal(readFileSync(file, 'utf8'), 'mdk_new\n');
    assert.equal(statSync(file).mode & 0o777, 0o600);
  }
  assert.equal(settingsOf(inFolder(folder)).key, 'mdk_new');
  assert.equal(settingsOf(['--data', path.join(folder, 'data')]).key, 'mdk_new');
});

test('whenever the power fails, the next start finds the old key or the new one', () => {
  const found = new Set<string>();
  for (let calls = 0, isOver = false; !isOver; calls++)
    for (const kept of [0, 1]) {
      const { folder, files } = started();
      const disk = new UnsafeDisk(folder);
      disk.failAfter(calls);
      const deviceKey = new DeviceKey('mdk_old', files);
      try {
        deviceKey.replace('mdk_new');
        isOver = true;
      } catch (error) {
        assert.ok(
          [error, (error as Error).cause].some((each) => each instanceof PowerCut),
          String(error),
        );
      } finally {
        disk.restore();
      }
      const rest = mkdtempSync(path.join(base, 'rest-'));
      disk.writeRest(rest, (parts) => Math.min(kept, parts - 1));
      disk.forget();
      const { key = '' } = settingsOf(inFolder(rest));
      assert.ok(['mdk_old', 'mdk_new'].includes(key), `after ${calls} calls it is "${key}"`);
      // What is in use is stored before that.
      if (deviceKey.value === 'mdk_new') assert.equal(key, 'mdk_new');
      found.add(key);
    }
  assert.deepEqual([...found], ['mdk_old', 'mdk_new']);
});

test('a key that cannot be stored everywhere is stored nowhere', () => {
  const { folder, files } = started();
  const [first = '', last = ''] = files;
  rmSync(last);
  mkdirSync(last);
  writeFileSync(path.join(last, 'in the way'), '');
  const deviceKey = new DeviceKey('mdk_old', files);
  assert.throws(() => deviceKey.replace('mdk_new'), /EISDIR|ENOTEMPTY|EEXIST/);
  assert.equal(deviceKey.value, 'mdk_old');
  assert.equal(readFileSync(first, 'utf8'), 'mdk_old\n');
  assert.ok(existsSync(folder));
});

test('a key of the environment or the command line cannot be replaced', () => {
  const data = path.join(base, 'environment');
  for (const [args, env] of [
    [[], { DEVICE_KEY: 'mdk_env' }],
    [['--key', 'mdk_line'], {}],
  ] as const) {
    const { key = '', keyFiles } = settingsOf(['--data', data, ...args], env);
    const deviceKey = new DeviceKey(key, keyFiles);
    assert.match(deviceKey.unable, /started with DEVICE_KEY or --key/);
    assert.throws(() => deviceKey.replace('mdk_new'), /started with DEVICE_KEY/);
    assert.equal(deviceKey.value, key);
  }
  // It is stored by then.
  storeSettings({ server: 'http://127.0.0.1:1', key: 'mdk_env', data });
  assert.deepEqual(settingsOf(['--data', data]).keyFiles, [path.join(data, 'key')]);
});

test('without --data a device keeps its folder when its key is replaced', () => {
  const file = path.join(base, 'own.key');
  const env = { XDG_STATE_HOME: path.join(base, 'state') };
  writeFileSync(file, 'mdk_first\n');
  const { data, key = '', keyFiles } = settingsOf(['--key-file', file], env);
  storeSettings({ server: 'http://127.0.0.1:1', key, data });
  new DeviceKey(key, keyFiles).replace('mdk_second');
  const again = settingsOf(['--key-file', file], env);
  assert.deepEqual([again.key, again.data], ['mdk_second', data]);
});

test('the agent of before, which a person may put back, gets the new key too', () => {
  const { folder } = started();
  mkdirSync(path.join(folder, 'previous'));
  writeFileSync(path.join(folder, 'previous', 'key'), 'mdk_old\n');
  const { key = '', keyFiles } = settingsOf(inFolder(folder), { MUSTER_INSTALL: folder });
  new DeviceKey(key, keyFiles).replace('mdk_new');
  assert.equal(readFileSync(path.join(folder, 'previous', 'key'), 'utf8'), 'mdk_new\n');
  // Of another device, it is none of its business.
  writeFileSync(path.join(folder, 'previous', 'key'), 'mdk_other\n');
  assert.equal(settingsOf(inFolder(folder), { MUSTER_INSTALL: folder }).keyFiles.length, 2);
});
