import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOut } from './log-items.ts';
import { indexLines } from './lines.ts';
import { gathered, plainLog, plainParts } from './plain.ts';

const plain = async (streams: Record<string, string>, raw = false) => {
  const indexed = Object.entries(streams).map(([name, text]) => ({
    stream: { name, pieces: [text] },
    index: indexLines([text], undefined, raw),
  }));
  return (await gathered(plainLog(layOut(indexed)))).join('');
};

const HOSTILE = '\u001b[31mred\u001b[0m\r\nbell\u0007 \u202eevil\n1%\r99%\n';

test('copied text has no codes, nothing hidden, and the last state of a rewritten line', async () => {
  assert.equal(await plain({ stdout: HOSTILE }), 'red\nbell‹BEL› ‹U+202E›evil\n99%\n');
  assert.equal(await plain({ stdout: HOSTILE }, true), HOSTILE);
  assert.equal(await plain({ stdout: '' }), '');
  assert.equal(await plain({ stdout: 'no end' }), 'no end');
});

test('several streams get their names as headings', async () => {
  assert.equal(await plain({ stdout: 'out', stderr: 'err\n' }), '[stdout]\nout\n\n[stderr]\nerr\n');
  assert.equal(await plain({ stdout: 'out', stderr: '' }), 'out');
});

test('a long log is complete, whatever its pieces', async () => {
  const line = `${'x'.repeat(70)}\r\n`;
  const text = `${line.repeat(5_000)}${'y'.repeat(300_000)}\na\rb\n${line}`;
  assert.equal(
    await plain({ stdout: text }),
    `${`${'x'.repeat(70)}\n`.repeat(5_000)}${'y'.repeat(300_000)}\nb\n${'x'.repeat(70)}\n`,
  );
  assert.equal(await plain({ stdout: text }, true), text);
});

test('a range of rows can be copied', () => {
  const index = indexLines(['a\nb\nc\nd']);
  assert.equal([...plainParts(index, 1, 3)].join(''), 'b\nc\n');
});

test('two streams with a known order are copied in that order', async () => {
  const streams = ['stdout', 'stderr'].map((name, at) => {
    const pieces = [at === 0 ? 'one\nthree\nfour' : 'two\nfive'];
    return { stream: { name, pieces }, index: indexLines(pieces) };
  });
  const order = [
    { stream: 'stdout', length: 4 },
    { stream: 'stderr', length: 4 },
    { stream: 'stdout', length: 10 },
    { stream: 'stderr', length: 4 },
  ];
  assert.equal((await gathered(plainLog(layOut(streams, order)))).join(''), 'one\ntwo\nthree\nfour\nfive');
});
