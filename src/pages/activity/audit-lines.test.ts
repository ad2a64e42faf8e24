import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '#/contract/audit.ts';
import { auditLines, withOpened } from './audit-lines.ts';

const entry = (Id: string, Action: string, Object: string, BulkId?: string): AuditEntry => ({
  Id,
  Time: '2026-01-01T12:00:00.000Z',
  Actor: 'person:ada',
  ActorName: 'Ada',
  Address: '10.0.0.1',
  Action,
  Object,
  ObjectName: '',
  Outcome: 'done',
  Hash: '',
  ...(BulkId !== undefined && { BulkId }),
});

const START = entry('10', 'bulk.tag', 'b1 2 Devices', 'b1');
const ITEMS = [entry('12', 'tag.attach', 't d2', 'b1'), entry('11', 'tag.attach', 't d1', 'b1')];
const printed = (lines: ReturnType<typeof auditLines>) =>
  lines.map(({ entry: { Id }, items }) => [Id, ...items.map((item) => item.Id)]);

test('what a bulk action did is one line, which opens to its entries', () => {
  const lines = auditLines([...ITEMS, START], []);
  assert.deepEqual(printed(lines), [['10', '12', '11']]);
  const opened = withOpened(lines, new Set(['10']));
  assert.deepEqual(
    opened.map(({ entry: { Id }, of }) => [Id, of]),
    [
      ['10', undefined],
      ['12', '10'],
      ['11', '10'],
    ],
  );
});

test('what the same person did to a device meanwhile is a line of its own', () => {
  const single = entry('13', 'tag.attach', 't d3');
  assert.deepEqual(printed(auditLines([single, ...ITEMS, START], [])), [['13'], ['10', '12', '11']]);
});

test('each of two at the same time has its own entries', () => {
  const second = entry('13', 'bulk.tag', 'b2 1 Devices', 'b2');
  const lines = auditLines([entry('14', 'tag.attach', 't d9', 'b2'), second, ...ITEMS, START], []);
  assert.deepEqual(printed(lines), [
    ['13', '14'],
    ['10', '12', '11'],
  ]);
});

test('that it was cancelled is a line of its own', () => {
  const cancelled = entry('13', 'bulk.cancel', 'b1');
  assert.deepEqual(printed(auditLines([cancelled, ...ITEMS, START], [])), [['13'], ['10', '12', '11']]);
});

test('the entry of the action itself may be on a page that was not read yet', () => {
  assert.deepEqual(printed(auditLines(ITEMS, [START])), [['10', '12', '11']]);
});

test('as long as the entry of the action itself is not known, each of its entries is a line', () => {
  assert.deepEqual(printed(auditLines(ITEMS, [])), [['12'], ['11']]);
});
