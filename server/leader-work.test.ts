// The tasks of the leader: only while this node leads, and each never twice at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../scripts/test-process.ts';
import { openLeaderWork } from './leader-work.ts';

/** A task that runs until it is let go. */
function heldTask() {
  const runs: (() => void)[] = [];
  const run = () => new Promise<void>((resolve) => runs.push(resolve));
  return { runs, task: { what: 'do this', everyMs: 1, run } };
}

/** Ticks of a timer as short as that of a task: its own have come too by then. */
async function severalTicks(): Promise<void> {
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  await until('ticks', () => ticks > 20);
  clearInterval(timer);
}

test('a task that takes longer than its interval runs once at a time, and again when it has ended', async () => {
  const { runs, task } = heldTask();
  const other = heldTask();
  const work = openLeaderWork(() => true, [task, other.task]);
  await until('both to run', () => runs.length > 0 && other.runs.length > 0);
  await severalTicks();
  assert.deepEqual([runs.length, other.runs.length], [1, 1]);
  runs[0]?.();
  await until('the next run', () => runs.length === 2);
  assert.equal(other.runs.length, 1);
  runs[1]?.();
  other.runs[0]?.();
  // What begins while it closes would hold it up for ever.
  const [closed] = [work.close()];
  for (const end of [...runs, ...other.runs]) end();
  await closed;
});

test('nothing runs while this node does not lead', async () => {
  const { runs, task } = heldTask();
  let leads = false;
  const work = openLeaderWork(() => leads, [task]);
  await severalTicks();
  assert.equal(runs.length, 0);
  leads = true;
  await until('a run', () => runs.length === 1);
  leads = false;
  runs[0]?.();
  await severalTicks();
  assert.equal(runs.length, 1);
  await work.close();
});

test('a task that fails is tried again', async () => {
  let tries = 0;
  const run = async () => {
    tries += 1;
    if (tries === 1) throw new Error('The disk is full');
  };
  const work = openLeaderWork(() => true, [{ what: 'write', everyMs: 1, run }]);
  await until('another try', () => tries > 1);
  await work.close();
});
