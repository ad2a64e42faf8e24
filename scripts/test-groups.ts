// Which files of unit tests share a process (test-group.ts), and what the events of one say about each of them.
import { join } from 'node:path';
import { run } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import type { Tally } from './tally.ts';

const ROOT = join(import.meta.dirname, '..');
/** Only a test that hangs takes as long. */
export const TEST_LIMIT_MS = 120_000;
// A test that holds its process without an end: it is killed and counts as failed.
const SILENCE_LIMIT_MS = TEST_LIMIT_MS + 30_000;
/** Most of what there is to win, and few enough that one slow group is not what all wait for in the end. */
const MOST = 10;

const STARTS_SOMETHING =
  /\b(startTestService|TestProcess|ServiceProcess|spawnAgent|killableService|startPostgres)\b|\bspawn\(/;
/** Whether the tests of a file with this text start services, agents or installers: these are most of the work. */
export const startsSomething = (text: string): boolean => STARTS_SOMETHING.test(text);

/** What other files in the process would feel, or feel themselves, and a month of a service in seconds. */
const ALONE =
  /\btest-(power|statements)\.ts|\bsyncBuiltinESMExports\b|\bprocess\.(exit|on|once|chdir|umask)\(|\bmock\.module\(|\bglobalThis\b|\bprocess\.env\[[^\]]+\] =[^=]|\bdelete process\.env|\brun\(\{|\bseedMonth\(/;

/** Neighbours, because they import the same. */
export function groupsOf(files: readonly string[], textOf: (file: string) => string): string[][] {
  const isAlone = Map.groupBy(files, (file) => {
    const text = textOf(file);
    return startsSomething(text) || ALONE.test(text);
  });
  const shared = isAlone.get(false) ?? [];
  const alone = isAlone.get(true) ?? [];
  return [
    ...alone.map((file) => [file]),
    ...Array.from({ length: Math.ceil(shared.length / MOST) }, (_, n) => shared.slice(n * MOST, (n + 1) * MOST)),
  ];
}

export interface Results {
  tally: Tally;
  /** What failed, as if its file had run alone. */
  failed: TestEvent[];
  /** Files whose end was not reached, so that nothing is known of some of their tests. */
  unfinished: string[];
  /** What the tests wrote. */
  printed: TestEvent[];
}

/** Runs the tests of these files in one process. */
export async function runGroup(files: readonly string[]): Promise<Results> {
  const silence = new AbortController();
  const watch = setTimeout(() => silence.abort(new Error('Nothing more was heard of it')), SILENCE_LIMIT_MS);
  const events = run({
    files: [join(ROOT, 'scripts/test-group.ts')],
    argv: [...files],
    cwd: ROOT,
    timeout: TEST_LIMIT_MS * files.length,
    signal: silence.signal,
  }) as AsyncIterable<TestEvent>;
  const seen: TestEvent[] = [];
  for await (const event of events) {
    watch.refresh();
    seen.push(event);
  }
  clearTimeout(watch);
  return resultsOf(seen, files);
}

/** What happened in the process of these files: each is a suite on the first level. */
function resultsOf(events: readonly TestEvent[], files: readonly string[]): Results {
  const tally = { passed: 0, failed: 0 };
  const failed: TestEvent[] = [];
  const ended = new Set<string>();
  let file = '';
  let whole: TestEvent | undefined;
  for (const event of events) {
    if (event.type === 'test:start' && event.data.nesting === 0) file = event.data.name;
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { nesting, name, details } = event.data;
    const isSuite = details.type === 'suite';
    if (nesting === 0 && isSuite) ended.add(name);
    // The process itself.
    if (nesting === 0 && !isSuite) whole = event;
    else if (event.type === 'test:fail') {
      // Its tests are counted; what else can fail of a suite are its hooks.
      if (isSuite && (event.data.details.error as { failureType?: string }).failureType === 'subtestsFailed') continue;
      tally.failed += 1;
      failed.push(inFile(event, file));
    } else if (!isSuite) {
      // A test that was skipped or is to be written showed nothing.
      const showsNothing = event.data.skip !== undefined || event.data.todo !== undefined;
      tally[showsNothing ? 'failed' : 'passed'] += 1;
      if (showsNothing) failed.push(inFile(event, file));
    }
  }
  const unfinished = files.filter((each) => !ended.has(each));
  // It fails because of its tests, unless none of them did.
  if (whole?.type === 'test:fail' && tally.failed === 0) {
    tally.failed += 1;
    failed.push(whole);
  }
  const printed = events.filter(({ type }) => type === 'test:stdout' || type === 'test:stderr');
  return { tally: { ...tally, failed: tally.failed + unfinished.length }, failed, unfinished, printed };
}

type Ended = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>;

/** With the place in the file of the test, instead of the one where the group defined it. */
function inFile(event: Ended, file: string): TestEvent {
  const path = join(ROOT, file);
  const error = event.type === 'test:fail' ? event.data.details.error : undefined;
  // A test may throw anything, and nothing at all.
  const cause: Partial<Error> | undefined = error?.cause;
  const stack = cause?.stack ?? error?.stack ?? '';
  const [, line = '1', column = '1'] = /^(\d+):(\d+)/.exec(stack.split(`${path}:`)[1] ?? '') ?? [];
  const place = {
    file: path,
    line: Number(line),
    column: Number(column),
    nesting: Math.max(0, event.data.nesting - 1),
  };
  return { ...event, data: { ...event.data, ...place } } as TestEvent;
}
