import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellingLine } from './telling-line.ts';

const told = (stderr: string, stdout = '', reason = '') => tellingLine({ stdout, stderr, reason });

test('the cause is told, not what follows from it', () => {
  assert.equal(
    told('tar: /a/b: Cannot write: No space left on device\ntar: Exiting with failure status due to previous errors'),
    'tar: /a/b: Cannot write: No space left on device',
  );
  assert.equal(
    told('Traceback (most recent call last):\n  File "/a.py", line 3, in <module>\nValueError: bad width'),
    'ValueError: bad width',
  );
  assert.equal(
    told('curl: (6) Could not resolve host: x\nupdate failed\nexit status 6'),
    'curl: (6) Could not resolve host: x',
  );
  assert.equal(told('make: *** [all] Error 2', 'cc: error: no input'), 'cc: error: no input');
});

test('of equal lines the last, of a chatty stderr the error on stdout', () => {
  assert.equal(told('error: one\nerror: two'), 'error: two');
  assert.equal(told('% Total % Received\n100 100', 'checking\nself test failed: bus'), 'self test failed: bus');
  assert.equal(told('', 'one\ntwo'), 'two');
  assert.equal(told('stopped here', 'one'), 'stopped here');
});

test('what the service says counts where the device said nothing of it', () => {
  assert.equal(told('', '', 'The artifact was deleted'), 'The artifact was deleted');
  assert.equal(told('', 'unpacking', 'The device went down'), 'The device went down');
  assert.equal(told('disk error: sector 5', '', 'Ended by a signal'), 'disk error: sector 5');
  assert.equal(told('---\n', ''), '');
});
