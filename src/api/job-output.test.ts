// Reading a log from a service with output in pieces, and from one without.
import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import { accountQueries } from '#/api/account.ts';
import { append, outputPace, readOutput, type FollowedJob } from '#/api/job-output.ts';
import { queryClient } from '#/api/query-client.ts';
import type { Capability } from '#/contract/account.ts';

const signal = new AbortController().signal;
const JOB = {
  JobId: 'j',
  JobName: 'n',
  DeviceId: 'd',
  Command: 'c',
  StartTime: 'Nov 2, 2026, 14:03:09 UTC',
  EndTime: '',
  Result: '',
  Status: 'Running',
};
const ENDED = { ...JOB, EndTime: 'Nov 2, 2026, 14:03:10 UTC', Status: 'Succeeded' };

let asked: string[] = [];
let answer: (path: string) => [number, unknown];
mock.method(globalThis, 'fetch', (path: string) => {
  asked.push(path);
  const [status, body] = answer(path);
  return Promise.resolve(new Response(JSON.stringify(body), { status }));
});

/** The capabilities of the account. */
const offer = (...Capabilities: Capability[]) =>
  queryClient.setQueryData(accountQueries.get().queryKey, {
    UserEmail: '',
    PlanMaxDeviceLimit: 1,
    NumDevicesAdded: 1,
    Capabilities,
  });

/** A service with this much output so far, in pieces of four letters. */
const withPieces =
  (stdout: string, stderr: string, job: object) =>
  (path: string): [number, unknown] => {
    const query = new URL(path, 'http://x').searchParams;
    const piece = (whole: string, from: number) => {
      const Offset = Math.min(from, whole.length);
      const Text = whole.slice(Offset, Offset + 4);
      return { Text, Offset, Next: Offset + Text.length, Size: whole.length };
    };
    const Stdout = piece(stdout, Number(query.get('stdout')));
    const Stderr = piece(stderr, Number(query.get('stderr')));
    return [200, { Job: job, Stdout, Stderr, More: Stdout.Next < Stdout.Size || Stderr.Next < Stderr.Size }];
  };

beforeEach(() => {
  asked = [];
  offer('output');
});

test('output is never requested twice; the job has all of it once it has ended', async () => {
  answer = withPieces('abcdef', 'x', JOB);
  const first = await readOutput('j', undefined, signal);
  assert.deepEqual([first.complete, first.output?.stdout.pieces, first.job.Stdout], [false, ['abcd'], undefined]);
  const second = await readOutput('j', first, signal);
  assert.deepEqual(
    [second.complete, second.output?.stdout.next, second.output?.stdout.pieces.join('')],
    [true, 6, 'abcdef'],
  );
  assert.equal(second.output?.stderr, first.output?.stderr);
  assert.equal(await readOutput('j', second, signal), second, 'nothing new is the same object');
  answer = withPieces('abcdefgh', 'x', ENDED);
  const last = await readOutput('j', second, signal);
  assert.deepEqual([last.job.Stdout, last.job.Stderr, last.job.Status], ['abcdefgh', 'x', 'Succeeded']);
  assert.equal(await readOutput('j', last, signal), last);
  assert.deepEqual(asked, [
    '/v1/job/j/output?stdout=0&stderr=0',
    '/v1/job/j/output?stdout=4&stderr=1',
    '/v1/job/j/output?stdout=6&stderr=1',
    '/v1/job/j/output?stdout=6&stderr=1',
    '/v1/job/j/output?stdout=8&stderr=1',
  ]);
});

test('a stream shorter than the part already read is read from its start', async () => {
  answer = withPieces('abcd', '', JOB);
  const known = await readOutput('j', undefined, signal);
  answer = withPieces('xy', '', JOB);
  assert.deepEqual((await readOutput('j', known, signal)).output?.stdout.pieces, ['xy']);
});

test('from a service without output in pieces only the whole job is requested', async () => {
  offer();
  answer = () => [200, { ...JOB, Stdout: 'all' }];
  const first = await readOutput('j', undefined, signal);
  assert.deepEqual([first.output, first.complete, first.job.Stdout], [undefined, true, 'all']);
  assert.equal(await readOutput('j', first, signal), first);
  assert.deepEqual(asked, ['/v1/job/j', '/v1/job/j']);
});

test('a deleted job or a busy service is an error', async () => {
  answer = () => [404, {}];
  await assert.rejects(readOutput('j', undefined, signal), { status: 404 });
  answer = () => [503, {}];
  await assert.rejects(readOutput('j', undefined, signal), { status: 503 });
  answer = withPieces('ab', '', JOB);
  assert.ok((await readOutput('j', undefined, signal)).output);
});

test('the order of arrival of both streams is read too, and stays unknown once a response lacks it', async () => {
  const piece = (Text: string, Offset: number) => ({
    Text,
    Offset,
    Next: Offset + Text.length,
    Size: Offset + Text.length,
  });
  const answers = [
    {
      Stdout: piece('ab', 0),
      Stderr: piece('x', 0),
      Pieces: [
        { Stream: 'stdout', Offset: 0, Next: 1, Length: 1, Time: '' },
        { Stream: 'stderr', Offset: 0, Next: 1, Length: 1, Time: '' },
        { Stream: 'stdout', Offset: 1, Next: 2, Length: 1, Time: '' },
      ],
    },
    {
      Stdout: piece('cd', 2),
      Stderr: piece('y', 1),
      Pieces: [
        { Stream: 'stdout', Offset: 2, Next: 4, Length: 2, Time: '' },
        { Stream: 'stderr', Offset: 1, Next: 2, Length: 1, Time: '' },
      ],
    },
    { Stdout: piece('', 4), Stderr: piece('', 2), Pieces: [] },
    { Stdout: piece('e', 4), Stderr: piece('', 2) },
    { Stdout: piece('', 5), Stderr: piece('', 2), Pieces: [] },
  ];
  let known: FollowedJob | undefined;
  const orders: unknown[] = [];
  for (const each of answers) {
    answer = () => [200, { Job: JOB, More: false, ...each }];
    known = await readOutput('j', known, signal);
    orders.push(known.output?.order?.map(({ stream, length }) => `${stream} ${length}`).join(', '));
  }
  const all = 'stdout 1, stderr 1, stdout 3, stderr 1';
  assert.deepEqual(orders, ['stdout 1, stderr 1, stdout 1', all, all, undefined, undefined]);
});

test('small pieces are merged, so that a log of lines is not a million pieces', () => {
  let stream: ReturnType<typeof append> = { pieces: [], next: 0, size: 0 };
  const line = 'x'.repeat(100);
  for (let n = 1; n <= 2_000; n++)
    stream = append(stream, { Text: line, Offset: (n - 1) * 100, Next: n * 100, Size: n * 100 });
  assert.equal(stream.pieces.join('').length, 200_000);
  assert.ok(stream.pieces.length < 5);
  assert.equal(append(stream, { Text: '', Offset: stream.next, Next: stream.next, Size: stream.size }), stream);
});

test('polls immediately for existing output, often while output arrives, rarely when none does, and never after the end', () => {
  const followed: FollowedJob = {
    job: JOB,
    output: {
      stdout: { pieces: [], next: 0, size: 0 },
      stderr: { pieces: [], next: 0, size: 0 },
      order: [],
    },
    complete: true,
    changed: Date.now(),
  };
  const pace = (change: Partial<FollowedJob>, moving = true) => Number(outputPace({ ...followed, ...change }, moving));
  assert.ok(pace({ complete: false }, false) < 10);
  assert.ok(pace({}) < pace({ changed: Date.now() - 10_000 }));
  assert.ok(pace({ changed: Date.now() - 10_000 }) < pace({ changed: Date.now() - 100_000 }));
  assert.equal(outputPace(followed, false), false);
});
