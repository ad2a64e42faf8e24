import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsx, jsxs, shownProps } from './visible-text.ts';

test('hidden characters are shown in text and spoken attributes', () => {
  const { props } = jsx('a', {
    children: 'user\u202etxt',
    title: 'a\u00adb',
    'aria-label': 'a\u200bb',
    href: '/\u202e',
  });
  assert.deepEqual(props, {
    children: 'user‹U+202E›txt',
    title: 'a‹U+00AD›b',
    'aria-label': 'a‹U+200B›b',
    href: '/\u202e',
  });
  const mixed = jsxs('p', { children: ['Delete ', 'pu\u034fmp', 3, ['\u3164']] });
  assert.deepEqual(mixed.props, { children: ['Delete ', 'pu‹U+034F›mp', 3, ['‹U+3164›']] });
});

test('values of fields and props without hidden characters are not changed', () => {
  const field = { value: 'pu\u034fmp', children: ['plain', 1, null] };
  assert.equal(shownProps(field), field);
});
