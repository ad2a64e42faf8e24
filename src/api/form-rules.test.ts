// Errors of the form and of the service have the same wording.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workflowDraft } from '#/contract/workflows.ts';
import { refusalError } from '#/api/api-error.ts';
import { checkedBy, refusedFields, unplacedError } from './form-rules.ts';

const labels = { Name: 'Name', Command: 'The command' };
const check = checkedBy(workflowDraft, labels);
const refusal = (...fields: string[]) =>
  refusalError(
    400,
    JSON.stringify({ errors: fields.map((field) => ({ field, message: 'holds a NUL character' })) }),
    null,
  );

test('errors of the form', () => {
  assert.deepEqual(check({ Name: 'Restart', Command: 'reboot' }), {});
  assert.deepEqual(check({ Name: ' ', Command: '' }), {
    Name: 'Name must not be empty',
    Command: 'The command must not be empty',
  });
  assert.equal(check({ Name: 'x'.repeat(256), Command: 'a' })['Name'], 'Name must be at most 255 characters long');
});

test('errors of the service', () => {
  assert.deepEqual(refusedFields(refusal('Command', 'Other'), labels), {
    Command: 'The command holds a NUL character',
  });
  assert.deepEqual(refusedFields(new Error('network'), labels), {});
});

test('an error is shown once', () => {
  assert.equal(unplacedError(null, labels), null);
  assert.equal(unplacedError(refusal('Command'), labels), null);
  const mixed = refusal('Command', 'Other');
  assert.equal(unplacedError(mixed, labels), mixed);
  const plain = refusalError(403, '{"detail":"full"}', null);
  assert.equal(unplacedError(plain, labels), plain);
});
