import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterWords, isFiltered, readRowFilter, withoutFilter, writeFilter } from './filter-words.ts';

const at = (search: string) => new URLSearchParams(search);

test('texts, any number of values, and "none" of each are read; the status in any letter case', () => {
  assert.deepEqual(
    readRowFilter(at('q=pump+7&name=+cam+&id=ab&group=a&group=b&group=a&no=group&status=Online&seen=never')),
    {
      search: 'pump 7',
      name: 'cam',
      id: 'ab',
      group: ['a', 'b', ''],
      status: ['online'],
      seen: 'never',
    },
  );
  assert.deepEqual(readRowFilter(at('no=site&no=nonsense')), { site: [''] });
});

test('what says nothing counts as left out', () => {
  for (const search of [
    '',
    'q=%20',
    'group=',
    'group=+',
    'seen=often',
    'seen=2026-11-02T10:02:00Z/2026-11-02T10:00:00Z',
    'no=',
    'page=2&sort=name',
  ])
    assert.equal(isFiltered(readRowFilter(at(search))), false, search);
});

test('what is written reads back as the same, and leaves all else in place', () => {
  const filter = {
    search: 'a&b=c',
    group: ['ü %', 'x,y', ''],
    status: ['offline'],
    tag: ['t'],
    seen: '2026-11-02T10:00:00Z/2026-11-02T10:02:00Z',
  } as const;
  const written = writeFilter(at('sort=-name&group=old&dialog=add'), filter);
  assert.deepEqual(readRowFilter(at(written.toString())), filter);
  assert.equal(withoutFilter(written).toString(), 'sort=-name&dialog=add');
});

test('a change keeps the other filters; an empty one leaves the URL', () => {
  assert.equal(writeFilter(at('q=a&group=b&site=c'), { search: '', group: [] }).toString(), 'site=c');
  assert.equal(writeFilter(at('site=c&at=1,2,3'), { group: ['d', ''] }).get('no'), 'group');
});

test('the words alone are the same for the same filter, in whichever order it was written', () => {
  assert.equal(filterWords(at('group=a&at=1%2C2%2C3&status=ONLINE&q=+x+')), 'q=x&group=a&status=online');
  assert.equal(filterWords(at('q=x&device=7&status=online&group=a')), 'q=x&group=a&status=online');
});
