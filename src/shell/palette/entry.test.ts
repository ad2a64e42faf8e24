import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestOf, type Entry } from './entry.ts';

const entry = (label: string, also = ''): Entry => ({ id: label, label, also });
const found = (search: string, ...entries: Entry[]) => bestOf(entries, search, 10).map(({ label }) => label);

test('exact labels come first, then labels that start with the search, then those with such a word, then the rest', () => {
  const all = ['my-jobs', 'old jobs', 'Jobs of today', 'unjobs', 'Jobs', 'Map'].map((label) => entry(label));
  assert.deepEqual(found('jobs', ...all), ['Jobs', 'Jobs of today', 'my-jobs', 'old jobs', 'unjobs']);
});

test('every word must be in the label or among the other words of the entry', () => {
  assert.deepEqual(found('dark sw', entry('Switch to dark', 'theme'), entry('Dark horse')), ['Switch to dark']);
  assert.deepEqual(found('theme', entry('Switch to dark', 'theme appearance')), ['Switch to dark']);
});

test('case and accents do not matter, and regular expressions have no meaning', () => {
  assert.deepEqual(found('éCLAIR', entry('Eclair 1')), ['Eclair 1']);
  assert.deepEqual(found('(a.b', entry('x(a.b)'), entry('xab')), ['x(a.b)']);
});
