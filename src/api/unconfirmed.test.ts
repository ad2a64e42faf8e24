import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { UnconfirmedWrite } from '#/lib/unconfirmed-write.ts';
import { ApiError, errorLine, refusalError, unexpectedError } from './api-error.ts';
import { noteIdempotency } from './idempotency.ts';
import { unconfirmed } from './unconfirmed.ts';

beforeEach(() => noteIdempotency(false));

const list = { label: 'See the devices', to: '/devices' };
const explain = unconfirmed('device', list);
const LOST = [
  new ApiError('network', 'The service cannot be reached'),
  new ApiError('timeout', 'No answer within 30 seconds'),
  refusalError(502, '', null),
  refusalError(500, '', null),
  unexpectedError(200, '{"DeviceId": "a'),
];

test('a create whose answer was lost, truncated or replaced must not be resent without a key', () => {
  for (const error of LOST) {
    const explained = explain(error);
    assert.ok(explained instanceof UnconfirmedWrite);
    assert.match(explained.detail, /The device may have been accepted: look for it in the list/);
    assert.deepEqual(explained.list, list);
  }
});

test('with a key it may be resent', () => {
  noteIdempotency(true);
  for (const error of LOST) {
    assert.ok(explain(error) instanceof ApiError);
    assert.match(errorLine(explain(error)), /may have been accepted\. You can send it again/);
  }
});

test('a refusal is not changed', () => {
  for (const status of [400, 403, 409, 429, 503]) {
    const refused = refusalError(status, '', null);
    assert.equal(explain(refused), refused);
  }
});
