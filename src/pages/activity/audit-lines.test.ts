import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '#/contract/audit.ts';
import type { Bulk } from '#/contract/bulk.ts';
import { auditLines, withOpened } from './audit-lines.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();
const entry = (Id: string, Action: string, Object: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  Id,
  Time: at(Number(Id)),
  Actor: 'person:ada',
  ActorName: 'Ada',
  Address: '10.0.0.1',
  Action,
  Object,
  ObjectName: '',
  Outcome: 'done',
  Hash: '',
  ...more,
});
const work = (BulkId: string, Action: Bulk['Action'], from: number, to?: number): Bulk => ({
  BulkId,
  Action,
  Of: 'Devices',
  Values: {},
  State: to === undefined ? 'Running' : 'Done',
  Counts: { Done: 2, Failed: 0, Skipped: 0, Left: 0 },
  CreatedTime: at(from),
  EndTime: to === undefined ? '' : at(to),
});

const START = entry('10', 'bulk.tag', 'b1 2 Devices');
const ITEMS = [entry('12', 'tag.attach', 't d2'), entry('11', 'tag.attach', 't d1')];
const WORK = work('b1', 'tag', 10, 12);
const printed = (lines: ReturnType<typeof auditLines>) =>
  lines.map(({ entry: { Id }, items }) => [Id, ...items.map((item) => item.Id)]);

test('what a bulk action did is one line, which opens to its entries', () => {
  const lines = auditLines([...ITEMS, START], [], [WORK]);
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

test('what others did meanwhile, of another kind, afterwards, or was refused, is a line of its own', () => {
  const others = [
    entry('14', 'tag.attach', 't d3'),
    entry('12', 'tag.attach', 't d3', { Id: 'a', Actor: 'person:bob' }),
    entry('12', 'tag.attach', 't d3', { Id: 'b', Address: '10.0.0.2' }),
    entry('12', 'tag.detach', 't d3', { Id: 'c' }),
    entry('12', 'tag.attach', 't d3', { Id: 'd', Outcome: 'refused' }),
  ];
  assert.deepEqual(printed(auditLines([...others, ...ITEMS, START], [], [WORK])), [
    ['14'],
    ['a'],
    ['b'],
    ['c'],
    ['d'],
    ['10', '12', '11'],
  ]);
});

test('the entry of the action itself may be on a page that was not read yet', () => {
  assert.deepEqual(printed(auditLines(ITEMS, [START], [WORK])), [['10', '12', '11']]);
});

test('of two at the same time the later one has the entries; one that runs has no end yet', () => {
  const second = entry('11', 'bulk.tag', 'b2 2 Devices', { Id: '11b' });
  const lines = auditLines(
    [entry('12', 'tag.attach', 't d2'), second, START],
    [],
    [work('b1', 'tag', 10), work('b2', 'tag', 11)],
  );
  assert.deepEqual(printed(lines), [['11b', '12'], ['10']]);
});

test('without its bulk work, whose end is then unknown, nothing is put together', () => {
  assert.deepEqual(printed(auditLines([...ITEMS, START], [], [])), [['12'], ['11'], ['10']]);
});
