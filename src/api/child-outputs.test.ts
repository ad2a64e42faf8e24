// The output of children, read on request.
import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { job, type Job } from '#/contract/jobs.ts';
import type { ChildOutput } from '#/contract/job-outputs.ts';
import { ChildOutputs, type ReadOutputs } from './child-outputs.ts';
import { markLean } from './lean-rows.ts';

afterEach(() => mock.timers.reset());

const row = (id: string, Status = 'Waiting', more = {}) =>
  job.parse({ JobId: id, DeviceId: `d-${id}`, Status, ...more });
/** Rows as in the list of children, without output. */
const lean = (rows: Job[]) => {
  for (const one of rows) markLean(one);
  return rows;
};

const printed = (JobId: string, Stdout = `${JobId} printed`): ChildOutput => ({
  JobId,
  Stdout,
  Stderr: '',
  Result: '',
});

/** A source of outputs that answers immediately and records the requested ids. */
function reader(read: Partial<ReadOutputs> = {}) {
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout'] });
  const asked: string[][] = [];
  const outputs = new ChildOutputs('p', {
    some: (_, ids) => {
      asked.push([...ids]);
      return Promise.resolve(ids.map((id) => printed(id)));
    },
    one: () => Promise.reject(new Error('not asked for')),
    ...read,
  });
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) {
      mock.timers.tick(50);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { outputs, asked, settle };
}

test('the output of a child is read once, and that of a running one again while it grows', async () => {
  const rows = lean([row('a', 'Succeeded'), row('b', 'Running', { StartTime: 'now' })]);
  const { outputs, asked, settle } = reader();
  outputs.want(rows);
  outputs.want(rows);
  await settle();
  const merged = rows.map((each) => outputs.of(each));
  assert.deepEqual(
    merged.map(({ Stdout }) => Stdout),
    ['a printed', 'b printed'],
  );
  assert.equal(outputs.of(rows[0]!), merged[0]);
  // A component that shows the output requests it again.
  outputs.want(merged);
  await settle();
  assert.deepEqual(asked, [['a', 'b']]);
  outputs.want(merged, { isGrowing: true });
  await settle();
  assert.deepEqual(asked, [['a', 'b'], ['b']]);
});

test('when a running child ends, its output is read again', async () => {
  const before = lean([row('a', 'Running', { StartTime: 'now' })]);
  const { outputs, asked, settle } = reader();
  outputs.want(before);
  await settle();
  const after = lean([row('a', 'Failed', { StartTime: 'now' })]);
  // The output read before may lack its end.
  assert.equal(outputs.of(after[0]!).Stdout, undefined);
  outputs.want(after);
  await settle();
  assert.equal(outputs.of(after[0]!).Stdout, 'a printed');
  assert.equal(asked.length, 2);
});

test('many outputs are read in batches, and a long one completely only on request', async () => {
  const rows = lean(Array.from({ length: 450 }, (_, n) => row(`j${n}`, 'Failed')));
  const { outputs, asked, settle } = reader();
  outputs.want(rows);
  await settle();
  assert.ok(asked.every((ids) => ids.length <= 200));
  assert.equal(asked.flat().length, 450);
  const long = 'x'.repeat(64 * 1024);
  const cut = reader({
    some: () => Promise.resolve([printed('j0', long)]),
    one: () => Promise.resolve({ Stdout: `begin ${long}`, Stderr: '', Result: '' }),
  });
  cut.outputs.want(rows.slice(0, 1));
  await cut.settle();
  assert.equal(cut.outputs.of(rows[0]!).Stdout, long);
  cut.outputs.want(rows.slice(0, 1), { isWhole: true });
  await cut.settle();
  assert.ok(cut.outputs.of(rows[0]!).Stdout?.startsWith('begin'));
});

test('a row that already has its output is not changed', () => {
  const { outputs, asked } = reader();
  const complete = row('a', 'Succeeded', { Stdout: 'x' });
  outputs.want([complete]);
  assert.equal(outputs.of(complete), complete);
  assert.deepEqual(asked, []);
});
