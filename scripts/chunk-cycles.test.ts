import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cycleIn } from './chunk-cycles.ts';

const chunk = (fileName: string, ...imports: string[]) => ({ fileName, imports });

test('files that need each other in a circle are named, those that only share something are not', () => {
  assert.equal(cycleIn([chunk('page', 'common', 'dialog'), chunk('dialog', 'common'), chunk('common')]), undefined);
  assert.deepEqual(
    cycleIn([chunk('page', 'common'), chunk('common', 'entry', 'dialog'), chunk('dialog', 'common'), chunk('entry')]),
    ['common', 'dialog'],
  );
});
