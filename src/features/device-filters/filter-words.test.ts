import assert from 'node:assert/strict';
import { test } from 'node:test';
import { urlSchema } from '#/ui/url/url-schema.ts';
import { indexOf } from '#/fleet/index-of.ts';
import { aDevice } from '#/fleet/fake-service.ts';
import { devicesHaving, wantedFact, withFact } from './fact-words.ts';
import { filterPart, filterWords, isFiltered } from './filter-words.ts';

const schema = urlSchema({ filter: filterPart });
const read = (search: string) => schema.read(search).filter;

test('texts, any number of values, and "none" of each are read; the status in any letter case', () => {
  assert.deepEqual(read('q=pump+7&name=+cam+&id=ab&group=a&group=b&group=a&no=group&state=Online'), {
    search: 'pump 7',
    name: 'cam',
    id: 'ab',
    group: ['a', 'b', ''],
    status: ['online'],
  });
  assert.deepEqual(read('no=site&no=nonsense'), { site: [''] });
});

test('links and views of before, whose Offline included devices that had not connected yet, mean the same', () => {
  const earlier = (search: string) => filterWords(read(search));
  assert.equal(earlier('status=Offline'), 'state=offline&state=notconnected');
  assert.equal(earlier('status=online'), 'state=online');
  assert.equal(earlier('status=Sleeping&state=offline'), 'state=offline&state=sleeping');
  assert.equal(earlier('seen=never'), 'state=notconnected');
  assert.equal(earlier('state=Offline'), 'state=offline');
  assert.equal(schema.change('status=Offline&sort=name', { filter: { status: ['online'] } }), 'sort=name&state=online');
});

test('an artifact is read with one of its versions, with another than that, or with none', () => {
  const runs = (search: string) => read(search).runs;
  assert.deepEqual(runs('artifact=my+app'), { artifact: 'my app', version: undefined, other: undefined, none: false });
  assert.equal(runs('artifact=a&version=1.0')?.version, '1.0');
  assert.equal(runs('artifact=a&other=1.0')?.other, '1.0');
  assert.equal(runs('artifact=a&no=version')?.none, true);
  assert.equal(runs('version=1.0&no=version'), undefined);
  for (const search of ['artifact=a', 'artifact=a&version=1.0', 'artifact=a&other=2', 'no=version&artifact=a'])
    assert.deepEqual(runs(filterWords(read(search))), runs(search), search);
});

test('facts are parameters of their own, with their exact values', () => {
  assert.deepEqual(read('fact.os=debian&fact.site=hall+%3D+7&fact.Bad=x&fact.=y&fact.empty=').facts, {
    os: 'debian',
    site: 'hall = 7',
  });
  const written = schema.change('fact.old=1&sort=name', { filter: { facts: { os: 'debian', arch: 'arm64' } } });
  assert.equal(written, 'sort=name&fact.arch=arm64&fact.os=debian');
  assert.equal(schema.change(written, { filter: {} }), 'sort=name');
});

test('a fact is added to a filter, replaced in it and removed from it', () => {
  assert.deepEqual(withFact({}, 'os', 'debian'), { facts: { os: 'debian' } });
  assert.deepEqual(withFact({ facts: { os: 'debian', a: '1' } }, 'os', 'alpine'), { facts: { a: '1', os: 'alpine' } });
  assert.deepEqual(withFact({ facts: { os: 'debian' } }, 'os', undefined), { facts: undefined });
});

test('a fact has the value that the filter wants of it, whatever its name is', () => {
  assert.equal(wantedFact({ facts: { os: 'debian' } }, 'os'), 'debian');
  for (const name of ['constructor', '__proto__', 'arch'])
    assert.equal(wantedFact({ facts: { os: 'x' } }, name), undefined);
  assert.equal(wantedFact({}, 'constructor'), undefined);
});

test('devices match only with all wanted values', () => {
  const os = new Map(Object.entries({ 'id-0': 'debian', 'id-1': 'debian' }));
  const arch = new Map(Object.entries({ 'id-1': 'arm64', 'id-2': 'arm64' }));
  const fleet = indexOf([0, 1, 2].map((n) => aDevice(n)));
  const having = devicesHaving(['debian', 'arm64'], [os, arch]);
  assert.deepEqual(fleet.ids(fleet.query({ filter: { having } })), ['id-1']);
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
    assert.equal(isFiltered(read(search)), false, search);
});

test('what is written reads back as the same, and leaves all else as it is', () => {
  const filter = {
    search: 'a&b=c',
    group: ['ü %', 'x,y', ''],
    status: ['offline'],
    tag: ['t'],
    seen: '2026-11-02T10:00:00Z/2026-11-02T10:02:00Z',
  } as const;
  const written = schema.change('sort=-name&group=old&dialog=add', { filter });
  assert.deepEqual(read(written), filter);
  assert.equal(schema.change(written, { filter: {} }), 'sort=-name&dialog=add');
});

test('an empty filter leaves the URL; a group called anything differs from none', () => {
  assert.equal(schema.change('q=a&group=b&site=c', { filter: { search: '', group: [], site: ['c'] } }), 'site=c');
  assert.equal(schema.change('at=1,2', { filter: { group: ['d', ''] } }), 'at=1%2C2&group=d&no=group');
});

test('the words alone are the same for the same filter, in whichever order it was written', () => {
  assert.equal(filterWords(read('group=a&at=1%2C2%2C3&status=ONLINE&q=+x+')), 'q=x&group=a&state=online');
  assert.equal(filterWords(read('q=x&device=7&state=online&group=a')), 'q=x&group=a&state=online');
});
