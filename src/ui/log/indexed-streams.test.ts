import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grownStream, indexStreams } from './indexed-streams.ts';

const stream = (name: string, ...pieces: string[]) => ({ name, pieces });

test('nothing changes while the pieces are the same ones', () => {
  const streams = [stream('stdout', 'a\n'), stream('stderr')];
  const first = indexStreams(streams, [], false);
  assert.equal(indexStreams(streams, first, false), first);
  assert.equal(indexStreams(structuredClone(streams), first, false) === first, false);
});

test('only a stream that changed is indexed anew, and all of them when read raw', () => {
  const [stdout, stderr] = [stream('stdout', 'a\n'), stream('stderr', 'x\n')];
  const first = indexStreams([stdout, stderr], [], false);
  const next = indexStreams([stream('stdout', 'a\n', 'b\n'), stderr], first, false);
  assert.deepEqual([next[1] === first[1], next[0]?.index.lines], [true, 2]);
  assert.ok(indexStreams([stdout, stderr], first, true).every(({ index }) => index.raw));
});

test('of two streams that grew it is the lower one; another stream in its place has grown too', () => {
  const first = indexStreams([stream('stdout', 'a'), stream('stderr', 'x')], [], false);
  const grown = (...pieces: [string, string]) =>
    grownStream(first, indexStreams([stream('stdout', pieces[0]), stream('stderr', pieces[1])], first, false));
  assert.deepEqual([grown('ab', 'x'), grown('ab', 'xy'), grown('a', 'x')], ['stdout', 'stderr', undefined]);
  assert.equal(grownStream([], first), 'stderr');
});
