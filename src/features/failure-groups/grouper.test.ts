import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Grouper, withMembersInOrder, type DeviceFailure } from './grouper.ts';

const failure = (key: string, stderr: string, fields: Partial<DeviceFailure> = {}): DeviceFailure => ({
  key,
  ended: 'Failed',
  exitCode: 1,
  names: [`unit-${key}`],
  stdout: '',
  stderr,
  reason: '',
  ...fields,
});
const grouped = (...failures: DeviceFailure[]) => {
  const grouper = new Grouper();
  for (const each of failures) grouper.put(each);
  return grouper;
};
const titles = (grouper: Grouper) =>
  grouper
    .all()
    .map(
      ({ keys, title }) =>
        `${keys.length} × ${title.map(({ text, varies, spaced }) => `${spaced ? ' ' : ''}${varies ? `<${text}>` : text}`).join('')}`,
    );

test('numbers, paths and names make no difference, words do; the largest group comes first', () => {
  const grouper = grouped(
    failure('1', 'self test failed: sensor bus answered 0x00'),
    failure('2', './u.sh: line 3: write /data/a: No space left on device', { exitCode: 28 }),
    failure('3', './u.sh: line 9: write /data/b7: No space left on device'),
    failure('4', 'unit-4: download of 5 files refused'),
    failure('5', 'unit-5: download of 17 files refused'),
    failure('6', 'write /data/a: No space left on device', { exitCode: 28 }),
  );
  assert.deepEqual(titles(grouper), [
    '3 × write </data/a>: No space left on device',
    '2 × <unit-4>: download of <5> files refused',
    '1 × self test failed: sensor bus answered 0x00',
  ]);
  const [space] = grouper.all();
  assert.deepEqual(space?.exitCodes, [
    { code: 28, count: 2 },
    { code: 1, count: 1 },
  ]);
  assert.deepEqual(space?.title.find(({ varies }) => varies)?.values, ['/data/a', '/data/b7']);
  assert.deepEqual(space?.ways, []);
});

test('the same cause in other words is one group, another cause is not', () => {
  const grouper = grouped(
    failure('1', 'tar: /a/x: Cannot write: No space left on device'),
    failure('2', 'cp: error writing /b/y: No space left on device'),
    failure('3', 'mkdir: cannot create directory /c: Permission denied'),
    failure('4', 'tar: /a/x: Cannot open: Permission denied'),
  );
  assert.deepEqual(
    grouper.all().map(({ keys }) => keys.toSorted()),
    [['1', '2'], ['3'], ['4']],
  );
  const [first] = grouper.all();
  assert.deepEqual(
    first?.ways.map(({ line }) => line),
    ['cp: error writing /b/y: No space left on device', 'tar: /a/x: Cannot write: No space left on device'],
  );
  assert.match(titles(grouper)[0] ?? '', /<error> <writing> <.*>: No space left on device$/);
});

test('devices without output are grouped by exit code; different ends are different groups', () => {
  const grouper = grouped(
    failure('1', ''),
    failure('2', '\n\u001B[0m'),
    failure('3', '', { exitCode: 127 }),
    failure('4', 'health check failed', { ended: 'Rolled back', exitCode: 0 }),
    failure('5', 'health check failed'),
    failure('6', '', { ended: 'Interrupted', exitCode: undefined, reason: 'The device went down while it ran' }),
  );
  assert.deepEqual(
    grouper
      .all()
      .map(({ ended, keys, title, exitCodes }) => [ended, keys.join(), title.length > 0, exitCodes[0]?.code]),
    [
      ['Failed', '1,2', false, 1],
      ['Failed', '3', false, 127],
      ['Failed', '5', true, 1],
      ['Interrupted', '6', true, undefined],
      ['Rolled back', '4', true, 0],
    ],
  );
});

test('a title that names no error is marked as just the last line', () => {
  const grouper = grouped(
    failure('1', 'disk error'),
    failure('2', '', { stdout: 'unpacking' }),
    failure('3', '', { ended: 'Interrupted', reason: 'The device went down' }),
  );
  assert.deepEqual(
    grouper.all().map(({ isLast }) => isLast),
    [false, true, false],
  );
});

test('groups keep their id and wording when devices are added and removed', () => {
  const grouper = grouped(failure('1', 'cannot read 5 of /a/b'));
  const before = grouper.all()[0];
  for (let n = 2; n < 50; n++) grouper.put(failure(String(n), `cannot read ${n} of /a/c${n}`));
  grouper.put(failure('1', 'something else'));
  grouper.remove('2');
  const after = grouper.all();
  assert.equal(after[0]?.id, before?.id);
  const wordsOf = (group: typeof before) => group?.title.map(({ text }) => text.replace(/^[\d/].*/, '…')).join(' ');
  assert.equal(wordsOf(after[0]), wordsOf(before));
  assert.deepEqual(
    after.map(({ keys }) => keys.length),
    [47, 1],
  );
  assert.equal(grouped(failure('9', 'cannot read 77 of /z')).all()[0]?.id, before?.id);
});

test('a title is the printed text, whatever it contains', () => {
  const line = '<img src=x onerror=alert(1)> \u202Egnp.exe failed';
  const text = grouped(failure('1', line))
    .all()[0]
    ?.title.map(({ text: each, spaced }) => `${spaced ? ' ' : ''}${each}`);
  assert.equal(text?.join(''), '<img src=x onerror=alert(1)> gnp.exe failed');
});

test('lines with entirely different words are still grouped', () => {
  const grouper = new Grouper();
  const word = (n: number) => Array.from(String(n), (digit) => 'abcdefghij'[Number(digit)]).join('');
  for (let n = 0; n < 2_000; n++)
    grouper.put(failure(String(n), `${word(n)} error ${word(n * 7)} in ${word(n * 13)} failed ${word(n * 29)}`));
  assert.equal(
    grouper.all().reduce((total, { keys }) => total + keys.length, 0),
    2_000,
  );
});

test('the members of a group are in the order of the job, whichever failed first', () => {
  const groups = grouped(failure('3', 'self test failed'), failure('2', 'self test failed')).all();
  const [group] = withMembersInOrder(groups, ['1', '2', '3']);
  assert.deepEqual(group?.keys, ['2', '3']);
});
