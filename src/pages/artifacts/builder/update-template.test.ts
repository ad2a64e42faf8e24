// The generated update.sh is really run: it installs, restores the previous version, and then never exits with 0.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { reportedOutcome } from '#/features/jobs/reported-outcome.ts';
import { checkScript } from '#/pages/artifacts/inspect/script-check.ts';
import { targetFault, updateScript } from './update-template.ts';

const home = mkdtempSync(path.join(tmpdir(), "muster update's-"));
after(() => rmSync(home, { recursive: true, force: true }));
const opt = path.join(home, 'opt');
const target = path.join(opt, "my app's");
beforeEach(() => rmSync(opt, { recursive: true, force: true }));

/** Runs the update.sh of a version whose main.sh is given, as a device does: in the unpacked folder. */
function update(version: string, main: string, run = 'bin/main.sh', files: Record<string, string> = {}) {
  const folder = mkdtempSync(path.join(home, 'unpacked-'));
  mkdirSync(path.join(folder, 'bin'));
  for (const [name, text] of Object.entries({ 'bin/main.sh': `#!/bin/sh\n${main}\n`, VERSION: version, ...files }))
    writeFileSync(path.join(folder, name), text);
  chmodSync(path.join(folder, 'bin/main.sh'), 0o755);
  writeFileSync(path.join(folder, 'update.sh'), updateScript({ name: "it's; rm", version, target: `${target}/`, run }));
  const { status, stdout, stderr } = spawnSync('sh', ['./update.sh'], { cwd: folder, encoding: 'utf8' });
  return { code: status, result: /^MUSTER-RESULT: .*$/m.exec(stdout)?.[0], stdout, stderr };
}
const installed = () => readFileSync(path.join(target, 'VERSION'), 'utf8');

test('it is fine by our own checks and by the shell', () => {
  const script = updateScript({ name: 'a', version: '1', target: '/opt/a', run: '' });
  assert.deepEqual(
    checkScript('update.sh', new TextEncoder().encode(script), 'update').map(({ level }) => level),
    ['ok'],
  );
  execFileSync('sh', ['-n'], { input: script });
});

test('a first install, an update, an update with nothing to run', () => {
  assert.deepEqual([update('1', 'echo one').result, installed()], ['MUSTER-RESULT: update succeeded', '1']);
  const { code, stdout, result } = update('2', 'echo two');
  assert.deepEqual([code, result, installed()], [0, 'MUSTER-RESULT: update succeeded', '2']);
  assert.match(stdout, /^two$/m);
  assert.equal(readFileSync(path.join(`${target}.previous`, 'VERSION'), 'utf8'), '1');
  assert.equal(update('3', 'exit 9', '').code, 0);
  assert.equal(installed(), '3');
  assert.equal(existsSync(path.join(target, 'update.sh')), false);
  assert.deepEqual(readdirSync(opt).sort(), ["my app's", "my app's.previous"]);
});

test('what fails brings the previous version back, starts it, and is no success', () => {
  update('1', 'echo "one runs"');
  const failed = update('2', 'echo broken; exit 7');
  assert.deepEqual([failed.code, failed.result, installed()], [7, 'MUSTER-RESULT: rolled back', '1']);
  assert.match(failed.stdout, /broken\none runs\n/);
  assert.match(failed.stderr, /2: failed while running bin\/main\.sh \(exit code 7\)/);
  assert.deepEqual(readdirSync(opt), ["my app's"]);
  // And the next one goes through as ever.
  assert.equal(update('3', 'true').result, 'MUSTER-RESULT: update succeeded');
});

test('a first install that fails leaves nothing', () => {
  const failed = update('1', 'exit 3');
  assert.deepEqual([failed.code, failed.result], [3, 'MUSTER-RESULT: rolled back, nothing was installed before']);
  assert.deepEqual(readdirSync(opt), []);
});

test('a version before that does not start either is reported', () => {
  update('1', '[ ! -e "$0.no" ] && touch "$0.no"');
  const failed = update('2', 'exit 4');
  assert.deepEqual(
    [failed.code, failed.result, installed()],
    [4, 'MUSTER-RESULT: rolled back, but the previous version does not start', '1'],
  );
});

test('nothing was changed where not even the files could be copied', () => {
  update('1', 'true');
  // The parent of the new folder cannot be made: there is a file of that name.
  rmSync(opt, { recursive: true });
  writeFileSync(opt, '');
  const failed = update('2', 'true');
  assert.notEqual(failed.code, 0);
  assert.equal(failed.result, 'MUSTER-RESULT: update failed, nothing was changed');
});

test('an update that was cut off between the two moves is put right by the next', () => {
  update('1', 'true');
  execFileSync('mv', [target, `${target}.previous`]);
  assert.equal(update('2', 'exit 1').result, 'MUSTER-RESULT: rolled back');
  assert.equal(installed(), '1');
});

test('its last line shows how it ended also where a service reports no exit code', () => {
  const verdictOf = (Stdout: string) => reportedOutcome({ Stdout, Stderr: '', Result: '' })?.verdict;
  assert.equal(verdictOf(update('1', 'true').stdout), 'Succeeded');
  assert.equal(verdictOf(update('2', 'false').stdout), 'Rolled back');
  rmSync(opt, { recursive: true });
  assert.equal(verdictOf(update('1', 'false').stdout), 'Rolled back');
});

test('where it may install', () => {
  for (const good of ['/opt/a', '/srv/my app/']) assert.equal(targetFault(good), undefined);
  for (const bad of ['', '/', '//', 'opt', '~/x', '/opt/../etc']) assert.ok(targetFault(bad), bad);
});
