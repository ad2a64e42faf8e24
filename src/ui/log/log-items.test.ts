import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grownStream, indexStreams, layOut, type LogList } from './log-items.ts';
import { indexLines, rowText } from './lines.ts';

const stream = (name: string, text: string) => ({ stream: { name, pieces: [text] }, index: indexLines([text]) });
const shownBy = (list: LogList, count: number) =>
  Array.from({ length: count }, (_, item) => {
    const block = list.blockAt(item);
    const row = list.rowAt(item);
    return block && (row < 0 ? `# ${block.stream.name}` : rowText(block.index, row));
  });

test('two streams are listed one after the other, each under its name', () => {
  const list = layOut([stream('stdout', 'a\nb\n'), stream('stderr', 'c')]);
  assert.deepEqual(shownBy(list, 6), ['# stdout', 'a', 'b', '# stderr', 'c', undefined]);
  const [first, second] = list.blocks;
  assert.ok(first && second);
  assert.deepEqual([list.itemOf(second, 0), list.lastOf(first), list.count], [4, 2, 5]);
});

test('a single stream has no heading, even if the other is empty', () => {
  assert.deepEqual(shownBy(layOut([stream('stdout', ''), stream('stderr', 'c\nd')]), 3), ['c', 'd', undefined]);
});

test('beyond the limit only the end is shown', () => {
  const list = layOut([stream('stdout', 'a\nb\nc\nd')], undefined, 3);
  assert.deepEqual(shownBy(list, 4), ['b', 'c', 'd', undefined]);
  const [block] = list.blocks;
  assert.ok(block);
  assert.equal(block.skipped, 1);
  assert.equal(list.itemOf(block, 2), 1);
});

/** "o" and "e" with a text each, in the order of their arrival. */
function arrived(...pieces: [stream: 'o' | 'e', text: string][]) {
  const text = (name: string) => pieces.flatMap(([of, piece]) => (of === name ? [piece] : [])).join('');
  const order = pieces.map(([of, { length }]) => ({ stream: of, length }));
  return { streams: [stream('o', text('o')), stream('e', text('e'))], order };
}

test('if the order is known, the lines of both streams are in it', () => {
  const { streams, order } = arrived(['o', 'a\nb\n'], ['e', 'bad\n'], ['o', 'c\n'], ['e', 'worse\r\n'], ['o', 'd\n']);
  const list = layOut(streams, order);
  assert.deepEqual(shownBy(list, 8), ['a', 'b', 'bad', 'c', 'worse', 'd', undefined, undefined]);
  for (let item = 0; item < list.count; item++) {
    const block = list.blockAt(item);
    assert.equal(block && list.itemOf(block, list.rowAt(item)), item);
  }
  assert.ok(list.isMixed);
});

test('an interrupted line stays in one piece, and an incomplete one stays at the end', () => {
  const pieces: Parameters<typeof arrived> = [
    ['o', 'copying '],
    ['e', 'slow\n'],
    ['o', 'done\nnext '],
    ['e', 'a\nb'],
  ];
  const { streams, order } = arrived(...pieces);
  assert.deepEqual(shownBy(layOut(streams, order), 5), ['slow', 'copying done', 'a', 'next ', 'b']);
  const later = arrived(...pieces, ['o', '...']);
  assert.deepEqual(shownBy(layOut(later.streams, later.order), 5), ['slow', 'copying done', 'a', 'b', 'next ...']);
});

test('an order that covers less or more than there is loses no line', () => {
  const { streams } = arrived(['o', 'a\nb\n'], ['e', 'c\nd\n']);
  const orders = [
    [],
    [{ stream: 'e', length: 2 }],
    [
      { stream: 'o', length: 99 },
      { stream: 'x', length: 5 },
    ],
  ];
  assert.deepEqual(
    orders.map((order) => shownBy(layOut(streams, order), 4)),
    [
      ['a', 'b', 'c', 'd'],
      ['c', 'a', 'b', 'd'],
      ['a', 'b', 'c', 'd'],
    ],
  );
});

test('beyond the limit only the end is shown in order too, and the rows of a long line stay together', () => {
  const long = 'x'.repeat(4_500);
  const { streams, order } = arrived(['o', `1\n${long}\n`], ['e', '2\n'], ['o', '3\n']);
  const list = layOut(streams, order, 4);
  assert.deepEqual(
    shownBy(list, 4).map((text) => text?.length),
    [2000, 500, 1, 1],
  );
  assert.deepEqual(
    list.blocks.map(({ skipped }) => skipped),
    [2, 0],
  );
  assert.deepEqual(
    [...list.stretches()].map(({ block, first, end }) => [block.stream.name, first, end]),
    [
      ['o', 0, 4],
      ['e', 0, 1],
      ['o', 4, 5],
    ],
  );
});

const streamOf = (name: string, ...pieces: string[]) => ({ name, pieces });

test('nothing changes while the pieces are the same', () => {
  const streams = [streamOf('stdout', 'a\n'), streamOf('stderr')];
  const first = indexStreams(streams, [], false);
  assert.equal(indexStreams(streams, first, false), first);
  assert.equal(indexStreams(structuredClone(streams), first, false) === first, false);
});

test('only a changed stream is indexed again, and all of them for raw', () => {
  const [stdout, stderr] = [streamOf('stdout', 'a\n'), streamOf('stderr', 'x\n')];
  const first = indexStreams([stdout, stderr], [], false);
  const next = indexStreams([streamOf('stdout', 'a\n', 'b\n'), stderr], first, false);
  assert.deepEqual([next[1] === first[1], next[0]?.index.lines], [true, 2]);
  assert.ok(indexStreams([stdout, stderr], first, true).every(({ index }) => index.raw));
});

test('of two streams that grew, the lower one counts; so does a different stream in its place', () => {
  const first = indexStreams([streamOf('stdout', 'a'), streamOf('stderr', 'x')], [], false);
  const grown = (...pieces: [string, string]) =>
    grownStream(first, indexStreams([streamOf('stdout', pieces[0]), streamOf('stderr', pieces[1])], first, false));
  assert.deepEqual([grown('ab', 'x'), grown('ab', 'xy'), grown('a', 'x')], ['stdout', 'stderr', undefined]);
  assert.equal(grownStream([], first), 'stderr');
});
