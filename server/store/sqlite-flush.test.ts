// That SQLite flushes each commit before its write resolves, as the kernel sees it. Only strace shows that, which a machine
// may not have or not allow: there, sqlite.test.ts has the settings that lead to it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const folder = () => mkdtempSync(path.join(tmpdir(), 'muster-flush-'));
const hasStrace = spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0;

/** Prints after each write, which the trace shows among the calls that flush. */
const PROGRAM = `
  import { writeSync } from 'node:fs';
  import { openDatabase } from ${JSON.stringify(path.join(import.meta.dirname, 'sqlite.ts'))};
  const db = openDatabase(process.argv[1]);
  for (let n = 0; n < 5; n++) {
    writeSync(1, 'asked ' + n);
    await db.write((tx) => tx.run('INSERT INTO settings (key, value) VALUES (?, ?)', 'key ' + n, ''));
    writeSync(1, 'written ' + n);
  }
  await db.close();`;

test('each write is flushed before it resolves', { skip: !hasStrace && 'strace cannot be used here' }, () => {
  const at = folder();
  try {
    const trace = path.join(at, 'trace');
    const node = [process.execPath, '--input-type=module-typescript', '-e', PROGRAM, path.join(at, 'muster.db')];
    const { status, stderr } = spawnSync(
      'strace',
      ['-f', '-qq', '-e', 'trace=fsync,fdatasync,write', '-o', trace, ...node],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, stderr);
    const calls = readFileSync(trace, 'utf8').split('\n');
    const lineOf = (marker: string) => calls.findIndex((call) => call.includes(`write(1, "${marker}"`));
    for (let n = 0; n < 5; n++) {
      const between = calls.slice(lineOf(`asked ${n}`), lineOf(`written ${n}`));
      assert.ok(between.length > 0, 'both markers are in the trace');
      assert.ok(
        between.some((call) => /\bf(data)?sync\(/.test(call)),
        `write ${n} was not flushed:\n${between.join('\n')}`,
      );
    }
  } finally {
    rmSync(at, { recursive: true, force: true });
  }
});
