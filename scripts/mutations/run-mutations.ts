// Applies mutations one after the other, a few at once, and runs the tests of their areas until one of them fails.
import { copyCheckout, stopTests } from './checkout.ts';
import type { Checkout } from './checkout.ts';
import { applyTo, misfitOf } from './mutation.ts';
import type { Mutation } from './mutation.ts';

export interface MutationResult {
  mutation: Mutation;
  /** `broken`: its tests fail without it too, so that they say nothing. */
  outcome: 'noticed' | 'not noticed' | 'does not apply' | 'broken' | 'left out';
  /** The test that noticed, or why there is no answer. */
  by: string;
}

export interface RunOptions {
  root: string;
  mutations: readonly Mutation[];
  /** Test files by area. */
  areas: Readonly<Record<string, readonly string[]>>;
  /** How many mutations are tried at once. */
  jobs: number;
  /** Environment of tests on PostgreSQL; without it they are left out. */
  postgres?: NodeJS.ProcessEnv | undefined;
  /** Ends the run early, with the results so far. */
  signal?: AbortSignal;
  report: (result: MutationResult) => void;
}

export async function runMutations({
  root,
  mutations,
  areas,
  jobs,
  postgres,
  signal,
  report,
}: RunOptions): Promise<MutationResult[]> {
  const results: MutationResult[] = [];
  const testsOf = ({ area, tests }: Mutation) => tests ?? areas[area] ?? [];
  /** Whether a test file passes without a mutation: asked once for all mutations that it is to notice. */
  const sound = new Map<string, Promise<boolean>>();

  const attempt = async (mutation: Mutation, checkout: Checkout, pristine: Checkout): Promise<MutationResult> => {
    const env = mutation.engine === 'postgres' ? postgres : {};
    if (env === undefined) return { mutation, outcome: 'left out', by: 'there is no PostgreSQL for this system' };
    const takeBack = applyTo(checkout.folder, mutation);
    try {
      for (const file of testsOf(mutation)) {
        const { result, failed = 'it timed out' } = await checkout.test(file, env);
        if (result === 'passed') continue;
        const key = `${mutation.engine ?? ''} ${file}`;
        let isSound = sound.get(key);
        if (!isSound) {
          isSound = passes(pristine, file, env);
          sound.set(key, isSound);
        }
        if (!(await isSound)) return { mutation, outcome: 'broken', by: `${file} fails without it too` };
        return { mutation, outcome: 'noticed', by: `${file}: ${failed}` };
      }
      return { mutation, outcome: 'not noticed', by: `${testsOf(mutation).length} test files passed` };
    } finally {
      takeBack();
    }
  };

  const settle = (result: MutationResult) => {
    results.push(result);
    report(result);
  };
  // First, because the rest takes minutes: what no longer fits the code is to be brought up to date.
  const waiting = mutations.filter((mutation) => {
    const misfit = misfitOf(root, mutation, testsOf(mutation));
    if (misfit !== undefined) settle({ mutation, outcome: 'does not apply', by: misfit });
    return misfit === undefined;
  });
  signal?.addEventListener('abort', () => {
    waiting.length = 0;
    stopTests();
  });
  const pristine = copyCheckout(root);
  const worker = async () => {
    const checkout = copyCheckout(root);
    try {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const result = await attempt(next, checkout, pristine);
        if (signal?.aborted) return;
        settle(result);
      }
    } finally {
      checkout.remove();
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.max(1, Math.min(jobs, mutations.length)) }, worker));
  } finally {
    pristine.remove();
  }
  return results;
}

/** On a busy machine a test may fail by its time limit: it has a second try. */
async function passes(checkout: Checkout, file: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  for (let tries = 0; tries < 2; tries++) if ((await checkout.test(file, env)).result === 'passed') return true;
  return false;
}
