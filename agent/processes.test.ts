// Under an emulator (qemu-user) a process reads a made-up /proc/<its pid>/stat, and all others the one of the system.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(path.join(tmpdir(), 'muster-processes-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program that sees this instead of its own stat: it began with the system. */
function emulated(...command: string[]) {
  const made = path.join(folder, 'stat');
  writeFileSync(made, `1 (emulated) 0 1${' 0'.repeat(17)} 1${' 0'.repeat(30)}\n`);
  return spawnSync('unshare', ['-m', 'sh', '-c', 'mount --bind "$0" /proc/$$/stat && exec "$@"', made, ...command], {
    encoding: 'utf8',
  });
}

function testEmulated(name: string, run: () => void): void {
  const seen = emulated('sh', '-c', 'cat /proc/$$/stat');
  if (seen.status === 0 && seen.stdout.startsWith('1 (emulated)')) void test(name, run);
  else console.log(`Left out, because nothing can be mounted over /proc/<pid>/stat here: ${name}`);
}

testEmulated('the mark of a process is what others see, not what an emulator makes up for itself', () => {
  const module = path.join(import.meta.dirname, 'processes.ts');
  const program = `import { ownMark } from ${JSON.stringify(module)}; console.log(ownMark().born);`;
  const { stdout, stderr } = emulated(process.execPath, '--input-type=module', '-e', program);
  assert.match(stdout, /^\d{2,}\n$/, stderr);
});

testEmulated('so is the lock of a job of the agent of plain sh', () => {
  const job = path.join(folder, 'job');
  mkdirSync(job);
  const supervise = path.join(import.meta.dirname, 'sh/supervise.sh');
  const script = '. "$0"; job=$1 boot=boot; take_lock; readlink "$job/lock"; is_owned && echo owned';
  const { stdout, stderr } = emulated('sh', '-c', script, supervise, job);
  assert.match(stdout, /^\d+ \d{2,} boot\nowned\n$/, stderr);
});
