// Suggestions from file names and first bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessCommand, guessType, guessVersion } from './guess.ts';

test('the version in a file name', () => {
  const names: Record<string, string> = {
    'myapp_1.2.0.tar.gz': '1.2.0',
    'myapp-v2.10.tgz': '2.10',
    'fw 3.1.4-rc.2.tar.gz': '3.1.4-rc.2',
    'agent-2026.11.02.sh': '2026.11.02',
    'sensor-2_firmware-1.4.0-arm64.tar.gz': '1.4.0',
    'app-1.0+build.7.tar.gz': '1.0+build.7',
    '1.0.tar.gz': '1.0',
    'migrate_7.sh': '7',
    'my.app_1.2.0-custom5.tar.gz': '1.2.0-custom5',
    'app_1.0_arm64.tgz': '1.0',
    'update.sh': '',
    'sha256.sh': '',
    '2fa.sh': '',
    README: '',
  };
  for (const [name, version] of Object.entries(names)) assert.equal(guessVersion(name), version, name);
});

test('the type, by what is in the file or what it claims to be', () => {
  const gzip = Uint8Array.of(0x1f, 0x8b, 8);
  const text = Uint8Array.of(0x23, 0x21);
  assert.equal(guessType('firmware', gzip), 'tar.gz');
  assert.equal(guessType('saved-page.tar.gz', text), 'tar.gz');
  assert.equal(guessType('SAVED.TGZ', text), 'tar.gz');
  assert.equal(guessType('setup.sh', text), 'script');
});

test('the command of a script, whatever its name', () => {
  assert.equal(guessCommand('setup.sh'), './setup.sh');
  assert.equal(guessCommand('set up.sh'), "./'set up.sh'");
  assert.equal(guessCommand("it's.sh"), String.raw`./'it'\''s.sh'`);
});
