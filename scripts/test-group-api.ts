// What test files of a group (test-group.ts) get as `node:test`. While a file loads, its tests and hooks are kept: they are
// defined afterwards, in the suite of that file, because hooks outside a suite would be those of all files.
import * as node from 'node:test';
import { TEST_LIMIT_MS } from './test-groups.ts';

export { mock } from 'node:test';

type Definition = () => unknown;
let loading: Definition[] | undefined;

/** Whatever is called while a file loads happens later; within a running test it happens at once. */
const deferred = <Call extends (...args: never[]) => unknown>(call: Call): Call =>
  ((...args: never[]) => {
    if (!loading) return call(...args);
    loading.push(() => call(...args));
    return Promise.resolve();
  }) as Call;

export const test = deferred(((name: string, options: node.TestOptions | node.TestFn, run?: node.TestFn) =>
  typeof options === 'function'
    ? node.test(name, { timeout: TEST_LIMIT_MS }, options)
    : node.test(name, { timeout: TEST_LIMIT_MS, ...options }, run)) as typeof node.test);
export const suite = deferred(node.suite);
export const describe = deferred(node.describe);
export const before = deferred(node.before);
export const after = deferred(node.after);
export const beforeEach = deferred(node.beforeEach);
export const afterEach = deferred(node.afterEach);

/** The tests and hooks that a file has on its top level. */
export async function definitionsOf(load: () => Promise<unknown>): Promise<Definition[]> {
  const definitions: Definition[] = [];
  loading = definitions;
  try {
    await load();
    return definitions;
  } finally {
    loading = undefined;
  }
}
