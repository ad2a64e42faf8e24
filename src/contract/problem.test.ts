// Error bodies in every format that services send.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problem } from '#/contract/problem.ts';
import { readRefusal } from '#/contract/refusal.ts';

const detail = (body: unknown) => readRefusal(typeof body === 'string' ? body : JSON.stringify(body)).detail;

test('our own problem is read with its fields', () => {
  const body = {
    type: 'about:blank',
    title: 'Bad request',
    status: 400,
    detail: 'Lat must be a number',
    errors: [{ field: 'Lat', message: 'must be a number', extra: 1 }],
  };
  assert.ok(problem.safeParse(body).success);
  assert.deepEqual(readRefusal(JSON.stringify(body)), {
    title: 'Bad request',
    detail: 'Lat must be a number',
    fields: [{ field: 'Lat', message: 'must be a number' }],
  });
});

test('the formats of other services are read', () => {
  assert.equal(detail({ message: 'no such device' }), 'no such device');
  assert.equal(detail({ error: 'invalid token' }), 'invalid token');
  assert.equal(detail({ error: { message: 'quota exceeded', code: 7 } }), 'quota exceeded');
  assert.equal(detail({ errors: ['first', { message: 'second' }] }), 'first; second');
  assert.equal(detail({ errors: [{ field: 'Name', message: 'is empty' }] }), 'Name is empty');
  assert.equal(detail([{ message: 'in a list' }]), 'in a list');
  assert.equal(detail('"just a string"'), 'just a string');
  assert.equal(detail({ title: 'Not found', detail: '' }), 'Not found');
});

test('text and an empty body are kept', () => {
  assert.equal(detail('  upstream timed out\n'), 'upstream timed out');
  assert.equal(detail(''), '');
  assert.equal(detail('null'), 'null');
  assert.equal(detail({ code: 17 }), '{"code":17}');
  assert.equal(detail({ message: 404 }), '{"message":404}');
  assert.equal(detail({ errors: 'not a list' }), '{"errors":"not a list"}');
});

test('the page of a proxy or portal is no text of the service, also inside of JSON', () => {
  const nginx = '<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>nginx</body></html>';
  const pages = [nginx, '\n<!DOCTYPE html><p>Sign in', '<?xml version="1.0"?><Error/>', '<h1>502 Bad Gateway</h1>'];
  for (const page of pages) {
    assert.deepEqual(readRefusal(page), { detail: '', fields: [] });
    assert.deepEqual(readRefusal(JSON.stringify({ title: page, message: page })), { detail: '', fields: [] });
    assert.equal(detail(JSON.stringify(page)), '');
  }
  assert.equal(detail('<x> is no name'), '<x> is no name');
});

test('no body produces an endless message or recursion', () => {
  assert.equal(detail('x'.repeat(10_000)).length, 500);
  assert.equal(detail({ message: 'y'.repeat(10_000) }).length, 500);
  assert.equal(
    readRefusal(JSON.stringify({ errors: [{ field: 'F', message: 'z'.repeat(9000) }] })).fields[0]?.message.length,
    500,
  );
  const depth = 200_000;
  assert.equal(detail(`${'{"error":'.repeat(depth)}"deep"${'}'.repeat(depth)}`).length, 500);
});
