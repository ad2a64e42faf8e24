import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, errorLine, refusalError, unexpectedError } from './api-error.ts';
import { mayExist } from './may-exist.ts';

const line = (error: Error) => errorLine(mayExist('device')(error));

test('a create may have been carried out if its answer was lost, cut, or not the answer of the service', () => {
  for (const error of [
    new ApiError('network', 'The service cannot be reached'),
    new ApiError('timeout', 'No answer within 30 seconds'),
    refusalError(502, '', null),
    refusalError(500, '', null),
    unexpectedError(200, '{"DeviceId": "a'),
  ])
    assert.match(line(error), /The device may exist all the same: look for it in the list/);
});

test('a refusal says nothing of it', () => {
  for (const status of [400, 403, 409, 429, 503])
    assert.doesNotMatch(line(refusalError(status, '', null)), /may exist/);
});
