import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logFileName, outputOf } from './job-output.ts';

test('stdout and stderr are separate', () => {
  assert.deepEqual(outputOf({ Stdout: 'a', Stderr: 'b', Result: 'ab' }), {
    streams: [
      { name: 'stdout', text: 'a' },
      { name: 'stderr', text: 'b', error: true },
    ],
    reason: '',
  });
});

test('for a service that does not separate them the Result is shown', () => {
  assert.deepEqual(outputOf({ Stdout: undefined, Stderr: undefined, Result: 'all of it' }), {
    streams: [{ name: 'output', text: 'all of it' }],
    reason: '',
  });
});

test('a line that is not output is shown beside it', () => {
  assert.equal(outputOf({ Stdout: '', Stderr: '', Result: 'artifact deleted' }).reason, 'artifact deleted');
  assert.equal(outputOf({ Stdout: 'hello\n', Stderr: '', Result: 'hello\n' }).reason, '');
  assert.equal(
    outputOf({ Stdout: 'one\ntwo\n', Stderr: '', Result: 'one\ntwo\ntime limit reached' }).reason,
    'time limit reached',
  );
  assert.equal(outputOf({ Stdout: '', Stderr: undefined, Result: '' }).reason, '');
});

test('names a file in a way that any system accepts', () => {
  assert.equal(logFileName('Update: "all"/now', 'kamera 7'), 'Update-all-now-kamera-7.log');
  assert.equal(logFileName('../../x'), 'x.log');
});
