import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import * as z from 'zod/mini';
import { clearStored, currentAccount, json, stored, storedInTab, tabKeys } from './stored.ts';
import { storedParts } from './stored-keys.ts';

const texts = new Map<string, string>();
let isFull = false;
const storage = {
  getItem: (key: string) => texts.get(key) ?? null,
  removeItem: (key: string) => void texts.delete(key),
  setItem: (key: string, text: string) => {
    if (isFull) throw new Error('full');
    texts.set(key, text);
  },
};
Object.assign(globalThis, { window: new EventTarget() });
Object.defineProperty(globalThis, 'localStorage', { value: storage });
beforeEach(() => {
  texts.clear();
  isFull = false;
  currentAccount.set('ann');
});

const NONE: string[] = [];
const list = (key: 'muster-views' | 'muster-look') => stored(key, NONE, json(z.array(z.string())));

test("the key of an account's value ends in its name, that of the browser's does not", () => {
  const [mine, all] = [list('muster-views'), list('muster-look')];
  assert.equal(mine.set(['a']), true);
  all.set(['b']);
  assert.deepEqual(
    [...texts],
    [
      ['muster-views:ann', '["a"]'],
      ['muster-look', '["b"]'],
    ],
  );
  assert.equal(mine.get(), mine.get());
  currentAccount.set('bob');
  assert.equal(mine.get(), NONE);
  assert.deepEqual(all.get(), ['b']);
});

test('storing the initial value removes the text', () => {
  const mine = list('muster-views');
  mine.set(['a']);
  mine.set(NONE);
  assert.equal(texts.size, 0);
});

test('unreadable text is moved aside when something else is stored', () => {
  texts.set('muster-views:ann', '{"from":"the future"}');
  const mine = list('muster-views');
  assert.equal(mine.get(), NONE);
  mine.set(['a']);
  mine.set(['b']);
  assert.deepEqual(
    [...texts],
    [
      ['muster-views:ann', '["b"]'],
      ['muster-views:ann:unreadable', '{"from":"the future"}'],
    ],
  );
});

test('a refused value lasts until the page is left, or until it is stored', () => {
  const mine = list('muster-views');
  isFull = true;
  assert.equal(mine.set(['a']), false);
  assert.deepEqual([mine.get(), mine.isRefused()], [['a'], true]);
  isFull = false;
  assert.equal(mine.set(['b']), true);
  assert.deepEqual([texts.get('muster-views:ann'), mine.isRefused()], ['["b"]', false]);
});

test('listeners are called for changes here and in other tabs, and for another account', () => {
  const mine = list('muster-views');
  let calls = 0;
  const leave = mine.subscribe(() => calls++);
  mine.set(['a']);
  texts.set('muster-views:ann', '["from elsewhere"]');
  window.dispatchEvent(new Event('storage'));
  currentAccount.set('bob');
  currentAccount.set('ann');
  assert.equal(calls, 4);
  assert.deepEqual(mine.get(), ['from elsewhere']);
  leave();
  mine.set(['b']);
  window.dispatchEvent(new Event('storage'));
  assert.equal(calls, 4);
});

const partsOf = (keys: string[], account: string) =>
  [...storedParts(JSON.stringify(keys.map((key) => [key, '12345'])), account)].map(([kind, part]) => [kind, part.keys]);

test('only known keys count, and only those of this account', () => {
  const mine = ['muster-views:a:b', 'muster-views:a:b:unreadable', 'muster-look', 'muster-recent:a:b'];
  assert.deepEqual(partsOf([...mine, 'muster-views:bob', 'elsewhere:a:b', 'muster-new:a:b', 'toString'], 'a:b'), [
    ['views', ['muster-views:a:b', 'muster-views:a:b:unreadable']],
    ['look', ['muster-look']],
    ['other', ['muster-recent:a:b']],
  ]);
});

test('sizes are counted as browsers count them', () => {
  const parts = storedParts('[["muster-recent:a","1234"],["muster-stale-days:a","1"],["other","x"]]', 'a');
  assert.deepEqual([...parts], [['other', { keys: ['muster-recent:a', 'muster-stale-days:a'], bytes: 78 }]]);
});

test('cleared values read as the initial value, for listeners too', () => {
  const mine = list('muster-views');
  mine.set(['a']);
  let calls = 0;
  mine.subscribe(() => calls++);
  clearStored(['muster-views:ann']);
  assert.deepEqual([mine.get(), calls, texts.size], [NONE, 1, 0]);
});

test('a value of this tab is separate from the browser’s, the same for every account, and found by its prefix', () => {
  const ofTab: Record<string, string> = {};
  Object.defineProperty(globalThis, 'sessionStorage', {
    value: Object.defineProperties(ofTab, {
      getItem: { value: (key: string) => ofTab[key] ?? null },
      setItem: { value: (key: string, text: string) => void (ofTab[key] = text) },
      removeItem: { value: (key: string) => delete ofTab[key] },
    }),
  });
  const mine = storedInTab('muster-devices-1', NONE, json(z.array(z.string())));
  assert.equal(mine.set(['a']), true);
  currentAccount.set('bob');
  assert.deepEqual([mine.get(), tabKeys('muster-devices-'), texts.size], [['a'], ['muster-devices-1'], 0]);
  mine.set(NONE);
  assert.deepEqual(tabKeys('muster-devices-'), []);
});
