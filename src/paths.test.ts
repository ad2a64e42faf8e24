// Links of the dashboard to ids that another service may have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paths } from './paths.ts';

test('an id of any characters is one part of a link, and half of a surrogate pair is no error', () => {
  assert.equal(paths.device('a/b ?#'), '/devices/a%2Fb%20%3F%23');
  assert.equal(paths.job('half \ud800'), '/jobs/half%20%EF%BF%BD');
});
