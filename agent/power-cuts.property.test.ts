// The data folder through power cuts: whatever was acknowledged is there after each of them, at whichever moment it came
// and whatever else had reached the disk.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { holds } from '../scripts/test-property.ts';
import type { JobEnd } from './job-folder.ts';
import { Spool } from './spool.ts';
import { supervise } from './supervise.ts';
import { textOf } from './test-folder.ts';
import { PowerCut, UnsafeDisk } from '../scripts/test-power.ts';

type Step = 'accept' | 'take' | 'end' | 'settle';
/** What is done until a power cut, after how many calls of the file system it comes, and what decides about the rest. */
const day = fc.record({
  steps: fc.array(fc.constantFrom<Step>('accept', 'accept', 'take', 'end', 'settle'), { maxLength: 12 }),
  calls: fc.nat(200),
  seed: fc.nat(),
});

/** The same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What the spool of a folder has acknowledged so far. */
class Acknowledged {
  #journal: string | undefined;
  readonly #accepted = new Map<string, { command: string; isTaken: boolean; end?: JobEnd }>();
  readonly #settled = new Set<string>();
  /** The job of the step in which the power failed: that step may have been done or not. */
  #busy: string | undefined;
  #count = 0;

  do(spool: Spool, step: Step, next: (below: number) => number): void {
    const jobs = [...this.#accepted];
    const [job, state] = jobs[next(jobs.length)] ?? [];
    if (step === 'accept') {
      // Of one length, as ids are: the beginning of one is never another.
      const id = `job-${String(this.#count++).padStart(3, '0')}`;
      this.#busy = id;
      spool.accept({ job: id, command: `echo ${id}`, timeLimitSeconds: 1, outputLimit: 1 });
      this.#accepted.set(id, { command: `echo ${id}`, isTaken: false });
    } else if (job !== undefined && state) {
      this.#busy = job;
      if (step === 'take' && spool.folder(job).takeLock()) state.isTaken = true;
      if (step === 'end' && state.isTaken && !state.end) {
        const end: JobEnd = { outcome: 'exited', exitCode: next(256), endedAt: next(1_000_000) };
        spool.folder(job).writeEnd(end);
        state.end = end;
      }
      if (step === 'settle') {
        spool.settle(job);
        this.#accepted.delete(job);
        this.#settled.add(job);
      }
    }
    this.#busy = undefined;
  }

  /** Compares it with what a start finds. */
  check(spool: Spool): void {
    const found = spool.unsettled();
    assert.equal(spool.journal, this.#journal ?? spool.journal);
    this.#journal = spool.journal;
    const busy = this.#busy;
    this.#busy = undefined;
    if (busy !== undefined && spool.isSettled(busy)) {
      this.#accepted.delete(busy);
      this.#settled.add(busy);
    } else if (busy !== undefined && found.includes(busy) && !this.#accepted.has(busy))
      this.#accepted.set(busy, { command: `echo ${busy}`, isTaken: false });
    assert.deepEqual(found, [...this.#accepted.keys()], 'accepted jobs, in their order');
    for (const job of this.#settled) assert.ok(spool.isSettled(job), `${job} is settled`);
    for (const [job, { command, isTaken, end }] of this.#accepted) {
      const folder = spool.folder(job);
      assert.equal(folder.request()?.command, command);
      assert.ok(!isTaken || folder.owner(), `${job} was started`);
      if (end) assert.deepEqual(folder.end(), end);
    }
    assert.deepEqual(spool.setAside, []);
  }
}

test('what was acknowledged is there after power cuts at any moment', () =>
  holds(
    150,
    fc.property(fc.array(day, { minLength: 1, maxLength: 4 }), (days) => {
      const base = mkdtempSync(path.join(tmpdir(), 'muster-power-'));
      const newFolder = () => mkdtempSync(path.join(base, 'data-'));
      const known = new Acknowledged();
      let folder = newFolder();
      try {
        for (const { steps, calls, seed } of days) {
          const disk = new UnsafeDisk(folder);
          const next = numbers(seed);
          try {
            disk.failAfter(calls);
            const spool = new Spool(folder);
            known.check(spool);
            for (const step of steps) known.do(spool, step, next);
          } catch (error) {
            if (!(error instanceof PowerCut)) throw error;
          } finally {
            disk.restore();
          }
          folder = newFolder();
          disk.writeRest(folder, next);
          disk.forget();
        }
        known.check(new Spool(folder));
      } finally {
        rmSync(base, { recursive: true, force: true });
      }
    }),
  ));

test('after a first start that a power cut ended in the middle, accepted jobs are there all the same', () => {
  const base = mkdtempSync(path.join(tmpdir(), 'muster-power-'));
  const data = mkdtempSync(path.join(base, 'data-'));
  // It kept the name of the folder, and lost the folder of jobs.
  writeFileSync(path.join(data, 'journal'), 'a'.repeat(24));
  const disk = new UnsafeDisk(data);
  try {
    new Spool(data).accept({ job: 'job', command: 'true', timeLimitSeconds: 1, outputLimit: 1 });
    disk.restore();
    const rest = path.join(base, 'rest');
    disk.writeRest(rest, () => 0);
    assert.deepEqual(new Spool(rest).unsettled(), ['job']);
  } finally {
    disk.restore();
    disk.forget();
    rmSync(base, { recursive: true, force: true });
  }
});

test('the output of a job that has ended is whole after a power cut that loses all that was not synced', async () => {
  const base = mkdtempSync(path.join(tmpdir(), 'muster-power-'));
  const data = mkdtempSync(path.join(base, 'data-'));
  const disk = new UnsafeDisk(data);
  try {
    const spool = new Spool(data);
    const folder = spool.accept({
      job: 'job',
      command: 'seq 2000; seq 20 >&2',
      timeLimitSeconds: 60,
      outputLimit: 1e6,
    });
    await supervise(folder);
    const [end, ...output] = [folder.end(), textOf(folder, 'stdout'), textOf(folder, 'stderr')];
    assert.equal(end?.exitCode, 0);
    disk.restore();
    const rest = path.join(base, 'rest');
    disk.writeRest(rest, () => 0);
    const after = new Spool(rest).folder('job');
    assert.deepEqual([after.end(), textOf(after, 'stdout'), textOf(after, 'stderr')], [end, ...output]);
  } finally {
    disk.restore();
    disk.forget();
    rmSync(base, { recursive: true, force: true });
  }
});
