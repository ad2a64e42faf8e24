import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellingLine } from './telling-line.ts';

const found = (stderr: string, stdout = '', reason = '') => tellingLine({ stdout, stderr, reason });

test('the cause is found, not its consequences', () => {
  assert.equal(
    found('tar: /a/b: Cannot write: No space left on device\ntar: Exiting with failure status due to previous errors'),
    'tar: /a/b: Cannot write: No space left on device',
  );
  assert.equal(
    found('Traceback (most recent call last):\n  File "/a.py", line 3, in <module>\nValueError: bad width'),
    'ValueError: bad width',
  );
  assert.equal(
    found('curl: (6) Could not resolve host: x\nupdate failed\nexit status 6'),
    'curl: (6) Could not resolve host: x',
  );
  assert.equal(found('make: *** [all] Error 2', 'cc: error: no input'), 'cc: error: no input');
});

test('of equal lines the last, of a chatty stderr the error on stdout', () => {
  assert.equal(found('error: one\nerror: two'), 'error: two');
  assert.equal(found('% Total % Received\n100 100', 'checking\nself test failed: bus'), 'self test failed: bus');
  assert.equal(found('', 'one\ntwo'), 'two');
  assert.equal(found('stopped here', 'one'), 'stopped here');
});

test('the reason of the service counts if the device printed none', () => {
  assert.equal(found('', '', 'The artifact was deleted'), 'The artifact was deleted');
  assert.equal(found('', 'unpacking', 'The device went down'), 'The device went down');
  assert.equal(found('disk error: sector 5', '', 'Ended by a signal'), 'disk error: sector 5');
  assert.equal(found('---\n', ''), '');
});
