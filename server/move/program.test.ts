// `npm run move` as an operator runs it: what it prints, its exit code, and a kill in the middle.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { endProcesses, TestProcess, until } from '../../scripts/test-process.ts';
import { UNFINISHED_FOLDER } from '../store/unfinished-move.ts';
import { answersTheSame, fillFolder, filesOf, move, refused, startOn, startStore } from './test-source.ts';
import type { Filled } from './test-source.ts';

let root: string;
let source: string;
let filled: Filled;
before(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'muster-move-'));
  source = path.join(root, 'source');
  filled = await fillFolder(source);
});
after(async () => {
  await endProcesses();
  rmSync(root, { recursive: true, force: true });
});

const run = (env: Record<string, string>, ...args: string[]) => new TestProcess(['server/move.ts', ...args], { env });

test('it prints what goes where, what it compared, and how the service starts', async () => {
  const target = path.join(root, 'printed');
  const program = run({ DATA_DIR: source }, '--to', target);
  assert.equal(await program.ended, 0, program.printed);
  assert.equal(program.lines[0], `Tables: ${source} → ${target}`);
  assert.equal(program.lines[1], `Artifacts: ${source} → ${target}`);
  assert.match(program.printed, /^Copied job_output: \d+ rows$/m);
  assert.match(program.printed, /^Checked \d+ rows of \d+ tables: the same on both sides$/m);
  assert.match(program.printed, /^Done: \d+ rows and 2 artifacts were copied and compared\.$/m);
  assert.match(program.printed, new RegExp(`Start the service with:\n  DATA_DIR=${target}\n`));
});

test('without targets it prints its usage; a refusal is one sentence, and the exit code 1', async () => {
  const usage = run({ DATA_DIR: source }, 'somewhere');
  assert.equal(await usage.ended, 1);
  assert.match(usage.printed, /^Usage: npm run move -- --to PLACE/);
  const refusal = run({ DATA_DIR: source }, '--to', source);
  assert.equal(await refusal.ended, 1);
  assert.match(refusal.printed, /^--to is ".*", but that is the folder of the source: name another one\.$/m);
});

test('a move that is killed leaves a folder that no service takes, and the next one begins again', async (t) => {
  const { s3, keys, address } = await startStore(t);
  const from = path.join(root, 'with-store');
  await move({ DATA_DIR: source }, from);
  await move({ ...keys, DATA_DIR: from }, address);
  const untouched = filesOf(from);
  let asked = 0;
  s3.trouble = ({ method, key }) =>
    method === 'GET' && /\/\w{16}$/.test(key) && (asked += 1) === 2 ? 'no answer' : undefined;
  const target = path.join(root, 'killed');
  const program = run({ ...s3.env, DATA_DIR: from }, '--to', target);
  await until('the second artifact', () => asked === 2);
  await program.end('SIGKILL');
  assert.equal(readdirSync(path.join(target, UNFINISHED_FOLDER, 'artifacts')).length, 1);
  await refused(startOn({}, target), /killed cannot be used: a move to it is under way or was not finished/);

  s3.trouble = () => undefined;
  const again = run({ ...s3.env, DATA_DIR: from }, '--to', target);
  assert.equal(await again.ended, 0, again.printed);
  assert.match(again.printed, /holds a part of a move that was not finished: it is removed, and the move begins again/);
  assert.ok(!existsSync(path.join(target, UNFINISHED_FOLDER)));
  assert.deepEqual(filesOf(from), untouched, 'the source is as before');
  await answersTheSame(t, filled, {}, target);
});
