import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOut } from './log-items.ts';
import { layoutOf } from './log-layout.ts';
import { indexLines } from './lines.ts';

const blocksOf = (...texts: string[]) =>
  layOut(texts.map((text, n) => ({ stream: { name: `s${n}`, pieces: [text] }, index: indexLines([text]) })));

test('each row begins where the one before ends, wrapped or not', () => {
  const lines = Array.from({ length: 400 }, (_, n) => 'x'.repeat((n * 37) % 300)).join('\n');
  const blocks = blocksOf(lines, 'err\nerr');
  const measured = new Map([['s0', new Map([[200, 95]])]]);
  for (const columns of [0, 80]) {
    const layout = layoutOf(blocks, columns, measured);
    let top = 0;
    for (let item = 0; item < 404; item++) {
      assert.equal(layout.topOf(item), top, `${item} at ${columns}`);
      assert.equal(layout.itemAt(top), item);
      assert.equal(layout.itemAt(top + layout.heightOf(item) - 1), item);
      top += layout.heightOf(item);
    }
    assert.equal(layout.total, top);
    assert.equal(layout.itemAt(top + 1_000), 403);
  }
  assert.equal(layoutOf(blocks, 80, measured).heightOf(201), 95);
  assert.equal(layoutOf(blocksOf(), 80, measured).total, 0);
});
