import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findsIn } from './finds.ts';
import { layOut, type LogRun } from './log-items.ts';
import { indexLines } from './lines.ts';
import { patternOf, searchIndex, type Matches } from './log-query.ts';

function found(text: string, order?: LogRun[]) {
  const streams = [
    { name: 'stdout', pieces: ['one fault\nfine\nfault fault\n'] },
    { name: 'stderr', pieces: ['a fault\nfault b\n'] },
  ].map((stream) => ({ stream, index: indexLines(stream.pieces) }));
  const pattern = patternOf({ text, exact: false, pattern: false });
  assert.ok(pattern);
  const byStream = new Map<string, Matches>();
  for (const { stream, index } of streams) {
    const steps = searchIndex(index, pattern);
    for (let step = steps.next(); ; step = steps.next())
      if (step.done) {
        byStream.set(stream.name, step.value);
        break;
      }
  }
  const finds = findsIn(layOut(streams, order), byStream);
  const all = Array.from(finds.items, (item, number) => {
    const { stream, row, from } = finds.at(number);
    assert.equal(finds.numberOf({ stream, row, from }), number);
    return `${item} ${stream} ${row}:${from}`;
  });
  return { all, finds };
}

test('matches are in the order of their rows, one stream below the other', () => {
  const { all, finds } = found('fault');
  const expected = ['1 stdout 0:4', '3 stdout 2:0', '3 stdout 2:6', '5 stderr 0:2', '6 stderr 1:0'];
  assert.deepEqual(all, expected);
  assert.deepEqual(
    [0, 2, 4, 7].map((item) => finds.firstFrom(item)),
    [0, 1, 3, 5],
  );
  assert.equal(finds.numberOf({ stream: 'stdout', row: 1, from: 0 }), -1);
});

test('matches are in the order of their rows, with both streams in order of arrival', () => {
  const order = [
    { stream: 'stderr', length: 8 },
    { stream: 'stdout', length: 15 },
    { stream: 'stderr', length: 8 },
    { stream: 'stdout', length: 12 },
  ];
  const { all } = found('fault', order);
  assert.deepEqual(all, ['0 stderr 0:2', '1 stdout 0:4', '3 stderr 1:0', '4 stdout 2:0', '4 stdout 2:6']);
});
