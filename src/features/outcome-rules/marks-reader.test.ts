import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job as jobSchema, type Job } from '#/contract/jobs.ts';
import { FakePort } from '#/lib/fake-port.ts';
import { WorkerClient } from '#/lib/worker-client.ts';
import { MarksReader } from './marks-reader.ts';
import type { MarksRequest } from './marks-worker.ts';
import { readMarks } from './read-marks.ts';
import type { Reading, Rule } from '#/features/jobs/rule.ts';

const rule = (find: string, verdict: Rule['verdict'], pattern = true): Rule => ({
  find,
  pattern,
  caseSensitive: false,
  stream: 'both',
  verdict,
});
const HOSTILE = rule('^(a+)+$', 'Failed');
const OK = rule('ok', 'Succeeded', false);
const job = (JobId: string, Stdout: string): Job => jobSchema.parse({ JobId, EndTime: 'b', ExitCode: 0, Stdout });

/** A worker that never returns from the hostile pattern, as a real one would not. */
function worker(log: string[]): FakePort<MarksRequest> {
  log.push('start');
  const port = new FakePort<MarksRequest>(({ id, request: { outputs, rules, slow } }) => {
    log.push(`asked for ${outputs.length}`);
    const answer = outputs.map((streams) =>
      readMarks(streams, rules, { slow: [...slow, HOSTILE], before: () => undefined }),
    );
    const isStuck = rules.includes(HOSTILE) && !slow.includes(HOSTILE);
    queueMicrotask(() => port.say(isStuck ? { id, progress: HOSTILE } : { id, answer }));
  });
  port.terminate = () => void log.push('end');
  return port;
}

const readerOf = (start: () => FakePort<MarksRequest>, limit?: number) =>
  new MarksReader(new WorkerClient(start, limit));

async function readAll(reader: MarksReader, jobs: Job[], rules: Rule[]): Promise<Reading[]> {
  const all: Reading[] = [];
  await reader.read(jobs, rules, (read) => all.push(...read.map(([, reading]) => reading)));
  return all;
}

test('ends a worker that hangs in a pattern, names the pattern, reads on without it', async () => {
  const log: string[] = [];
  const reader = readerOf(() => worker(log), 5);
  const [first] = await readAll(reader, [job('1', 'ok')], [HOSTILE, OK]);
  assert.equal(first?.found?.rule, OK);
  assert.match(first?.untried?.why ?? '', /too long/);
  assert.deepEqual(log, ['start', 'asked for 1', 'end', 'start', 'asked for 1']);
  // It is not tried on the next thousands of outputs.
  await readAll(reader, [job('2', 'ok'), job('3', '')], [HOSTILE, OK]);
  assert.deepEqual(log.slice(5), ['asked for 2']);
});

test('sends large outputs in pieces, and stops when called off', async () => {
  const log: string[] = [];
  const reader = readerOf(() => worker(log));
  const jobs = Array.from({ length: 5 }, (_, index) => job(String(index), 'x'.repeat(600_000)));
  await readAll(reader, jobs, [OK]);
  assert.deepEqual(log, ['start', 'asked for 2', 'asked for 2', 'asked for 1']);
  const leaving = new AbortController();
  let pieces = 0;
  await reader.read(
    jobs,
    [OK],
    () => {
      pieces++;
      leaving.abort();
    },
    leaving.signal,
  );
  assert.equal(pieces, 1);
});

test('where no worker starts, text is found all the same and a pattern says that it was not tried', async () => {
  const reader = readerOf(() => {
    const broken = new FakePort<MarksRequest>(() => queueMicrotask(() => broken.fail()));
    return broken;
  });
  const [text] = await readAll(reader, [job('1', 'ok')], [OK]);
  assert.equal(text?.found?.rule, OK);
  assert.equal(text?.untried, undefined);
  const [pattern] = await readAll(reader, [job('1', 'ok')], [OK, HOSTILE]);
  assert.match(pattern?.untried?.why ?? '', /could not be loaded/);
});
