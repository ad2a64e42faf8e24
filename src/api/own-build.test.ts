// Which build the host serves, seen by a page whose host answers `/` with something else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkBuild } from './own-build.ts';
import { onReach, reportAnswer, isUnreachable, watchReach } from './reach.ts';

test("a proxy's page at / is not asked for again while the API answers", async (t) => {
  Object.assign(globalThis, { document: { querySelector: () => null }, addEventListener: () => {} });
  let asked = 0;
  t.mock.method(globalThis, 'fetch', () => {
    // Ends the test where a loop would not.
    if (++asked > 5) return new Promise(() => {});
    return Promise.resolve(new Response('<h1>Portal</h1>'));
  });
  t.after(watchReach(() => nextTurn().then(reportAnswer)));
  t.after(onReach(() => isUnreachable() || void checkBuild({ isAfterAnswer: true })));
  assert.equal(await checkBuild(), 'away');
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  assert.equal(asked, 2);
});
