import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemAt, layOut, placeOf } from './log-items.ts';
import { indexLines, rowText } from './lines.ts';

const stream = (name: string, text: string) => ({ stream: { name, pieces: [text] }, index: indexLines([text]) });
const said = (blocks: ReturnType<typeof layOut>, count: number) =>
  Array.from({ length: count }, (_, place) => {
    const item = itemAt(blocks, place);
    return item && (item.row === undefined ? `# ${item.block.stream.name}` : rowText(item.block.index, item.row));
  });

test('two streams stand one after the other, each under its name', () => {
  const blocks = layOut([stream('stdout', 'a\nb\n'), stream('stderr', 'c')]);
  assert.deepEqual(said(blocks, 6), ['# stdout', 'a', 'b', '# stderr', 'c', undefined]);
  const [, second] = blocks;
  assert.equal(second && placeOf(second, 0), 4);
});

test('one stream needs no heading, also where the other is empty', () => {
  assert.deepEqual(said(layOut([stream('stdout', ''), stream('stderr', 'c\nd')]), 3), ['c', 'd', undefined]);
});

test('beyond the limit the end is kept', () => {
  const blocks = layOut([stream('stdout', 'a\nb\nc\nd')], 3);
  assert.deepEqual(said(blocks, 4), ['b', 'c', 'd', undefined]);
  const [block] = blocks;
  assert.equal(block?.skipped, 1);
  assert.equal(placeOf(block, 2), 1);
});
