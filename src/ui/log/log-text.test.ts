import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeAt, continues, lastOf, nextOf, sliceOf, logTextOf } from './log-text.ts';

test('a text in pieces reads as one', () => {
  const whole = 'first\nsecond\n\nlast';
  for (const size of [1, 2, 5, 100]) {
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
      whole.slice(at * size, (at + 1) * size),
    );
    const text = logTextOf(pieces);
    assert.equal(text.length, whole.length);
    for (let from = 0; from <= whole.length; from++) {
      const next = whole.indexOf('\n', from);
      assert.equal(nextOf(text, '\n', from), next === -1 ? whole.length : next);
      assert.equal(codeAt(text, from), whole.charCodeAt(from));
      for (let to = from; to <= whole.length; to++) {
        assert.equal(sliceOf(text, from, to), whole.slice(from, to));
        const last = whole.slice(from, to).lastIndexOf('\n');
        assert.equal(lastOf(text, '\n', from, to), last === -1 ? -1 : from + last);
      }
    }
  }
  assert.equal(nextOf(logTextOf([]), '\n', 0), 0);
});

test('a text continues another if it begins with all of it', () => {
  const before = logTextOf(['ab', 'c']);
  assert.ok(continues(logTextOf(['ab', 'cd', 'e']), before));
  assert.ok(continues(before, before));
  assert.ok(continues(before, logTextOf([])));
  assert.ok(!continues(logTextOf(['ab']), before));
  assert.ok(!continues(logTextOf(['ab', 'x']), before));
});
