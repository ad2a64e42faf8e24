// What a fault of a disk, a database or a store is to the operator.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../config-error.ts';
import { S3Fault } from '../store/s3-fault.ts';
import { at, placeFault } from './fault.ts';

const fault = (message: string, details: object) => Object.assign(new Error(message), details);

test('each fault of a place is one sentence that names it', () => {
  const cases: [Error, string][] = [
    [fault('no space left on device', { code: 'ENOSPC' }), 'is full (no space left on device): free space on its disk'],
    [
      fault('database or disk is full', { code: 'ERR_SQLITE_ERROR', errcode: 13 }),
      'is full (database or disk is full): free space on its disk',
    ],
    [fault('could not extend file', { code: '53100' }), 'is full (could not extend file): free space on its disk'],
    [fault('read-only file system', { code: 'EROFS' }), 'is read-only (read-only file system): make it writable'],
    [fault('cannot execute INSERT', { code: '25006' }), 'is read-only (cannot execute INSERT): make it writable'],
    [
      fault('malformed', { code: 'ERR_SQLITE_ERROR', errcode: 11 }),
      'is damaged (malformed): restore a backup of it first',
    ],
    [fault('disk I/O error', { code: 'ERR_SQLITE_ERROR', errcode: 10 }), 'cannot be used (disk I/O error)'],
    [fault('read ECONNRESET', { code: 'ECONNRESET' }), 'cannot be reached any longer (ECONNRESET)'],
    [fault('terminated by the administrator', { code: '57P01' }), 'cannot be reached any longer (57P01)'],
    [fault('Query read timeout', {}), 'cannot be reached any longer (Query read timeout)'],
    [fault('duplicate key', { code: '23505' }), 'refuses it (duplicate key)'],
    [fault('not permitted', { code: 'EACCES' }), 'cannot be used (EACCES)'],
    [
      new S3Fault('configuration', 'has no such bucket: check ARTIFACT_STORE_URL'),
      'cannot be used: the store has no such bucket: check ARTIFACT_STORE_URL',
    ],
  ];
  for (const [cause, sentence] of cases) {
    const described = placeFault(cause, '/srv/muster');
    assert.ok(described instanceof ConfigError, sentence);
    assert.equal(described.message, `/srv/muster ${sentence}.`);
  }
});

test('a sentence stays as it is, and a bug too', async () => {
  for (const cause of [
    new ConfigError('A sentence.'),
    new TypeError('a bug'),
    fault('bad', { code: 'ERR_INVALID_ARG_TYPE' }),
  ])
    await assert.rejects(
      at('/srv/muster', () => {
        throw cause;
      }),
      (thrown) => thrown === cause,
    );
});
