// The log as a program reads it: one JSON object per line, without secrets, for any input.
import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { log, logThrottled, logWarningsOnly, setLogFormat } from './log.ts';
import { newSecret } from '../store/ids.ts';

const HOSTILE = 'a\n{"level":"info"}\u001b[2J\u2028\u202e"quoted" b';

function capture(say: () => void): string {
  let said = '';
  const take = (text: string) => void (said += `${text}\n`);
  const mocks = (['log', 'error'] as const).map((name) => mock.method(console, name, take));
  try {
    say();
  } finally {
    for (const { mock: each } of mocks) each.restore();
  }
  return said;
}
const parsed = (said: string) => {
  assert.equal(said.split('\n').length, 2, 'one line');
  return JSON.parse(said) as Record<string, unknown>;
};
afterEach(() => setLogFormat('text'));

test('an event is one line of JSON with time, level, message and fields', () => {
  setLogFormat('json');
  const { time, ...event } = parsed(
    capture(() => log.warn('Made a backup.', { file: '/b/x.tar', bytes: 5, none: undefined })),
  );
  assert.deepEqual(event, { level: 'warn', message: 'Made a backup.', file: '/b/x.tar', bytes: 5 });
  assert.ok(Math.abs(Date.parse(String(time)) - Date.now()) < 60_000);
});

test('what comes from outside makes no line, moves no cursor and carries no secret, in either format', () => {
  const secret = newSecret('mut');
  for (const format of ['json', 'text'] as const) {
    setLogFormat(format);
    const said = capture(() => log.info(HOSTILE, { name: `${HOSTILE}\n${secret}`, token: `Bearer ${secret}` }));
    assert.equal(said.trimEnd().split('\n').length, 1);
    // oxlint-disable-next-line no-control-regex -- the output must not contain them
    assert.doesNotMatch(said.trimEnd(), /[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
    assert.ok(!said.includes(secret) && said.includes('mut_…'));
  }
  const failed = capture(() => log.error('error x', new Error(HOSTILE)));
  for (const line of failed.trimEnd().split('\n').slice(1))
    assert.match(line, /^ {4}/, 'only an event begins at the margin');
});

test('an error comes with its stack, in its event', () => {
  setLogFormat('json');
  const { error, message } = parsed(capture(() => log.error('error x', new TypeError('no such thing'))));
  assert.equal(message, 'error x');
  assert.match(String(error), /^TypeError: no such thing\n +at .*log\.test\.ts/);
});

test('events of a kind are one line a minute, with the number of those in between', (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  let passed = 1e6;
  t.mock.method(performance, 'now', () => passed);
  const say = () => logThrottled('kind', 'info', 'Refused a request.', { status: 401 });
  assert.equal(
    capture(() => Array.from({ length: 5 }, say)),
    'Refused a request. status=401\n',
  );
  passed += 61_000;
  assert.equal(capture(say), 'Refused a request. status=401 more=4\n');
});

test('a greeting for a person holds what is shown once; for a program it does not', () => {
  const greet = () => log.notice(['Token: abc', 'Note:    PUBLIC_URL is not set'], 'Running.', { url: 'http://x' });
  assert.equal(capture(greet), 'Token: abc\nNote:    PUBLIC_URL is not set\n');
  setLogFormat('json');
  const events = capture(greet)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    events.map((event) => ({ ...event, time: undefined })),
    [
      { level: 'info', message: 'Running.', url: 'http://x', time: undefined },
      { level: 'warn', message: 'PUBLIC_URL is not set', time: undefined },
    ],
  );
});

// The last one, for nothing sets the level back.
test('a process that asks for warnings only does not report that all is well', () => {
  logWarningsOnly();
  assert.equal(
    capture(() => log.info('audit log', { entry: 1 })),
    '',
  );
  assert.match(
    capture(() => log.warn('The disk is nearly full.')),
    /nearly full/,
  );
});
