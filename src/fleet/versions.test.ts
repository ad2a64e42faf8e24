// The versions of artifacts as fields of the fleet, and as a filter of it.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { deviceVersionQueries } from '#/api/device-versions.ts';
import { queryClient } from '#/api/query-client.ts';
import { openAskedFilter } from './asked-filter.ts';
import { FleetIndex } from './fleet-index.ts';
import type { RunsFilter } from './filter.ts';
import { Draft, emptyTable } from './table.ts';
import { openVersions } from './versions.ts';

const FIELD = 'Version of myapp';
const read = (versions: Record<string, string>) =>
  queryClient.setQueryData(deviceVersionQueries.ofArtifact('myapp').queryKey, new Map(Object.entries(versions)));
beforeEach(() => queryClient.clear());

const device = (id: string) => ({
  DeviceId: id,
  DeviceName: id,
  DeviceGroup: '',
  LocalAddr: '',
  LocalPort: '',
  DeviceStatus: 'Online',
});
function fleet(...ids: string[]): FleetIndex {
  const draft = new Draft(emptyTable());
  return new FleetIndex(draft.finish(Uint32Array.from(ids.map((id) => draft.put(device(id))))));
}

test('a version is a field that can be sorted by, of the fleet and of single rows', () => {
  read({ a: '10.0', c: '9.0', deleted: '1' });
  const { value } = openVersions([FIELD], 'Version of ').get();
  const index = value.index(fleet('a', 'b', 'c'));
  assert.deepEqual(index.ids(index.query({ sort: { by: FIELD } })), ['c', 'a', 'b']);
  assert.equal(index.device(index.rowOf('a')!)[FIELD], '10.0');
  assert.ok(index.fields().includes(FIELD));
  assert.deepEqual(
    value.rows([device('c'), device('b')]).map((row) => row[FIELD]),
    ['9.0', undefined],
  );
});

test('nothing is derived again while nothing changes', () => {
  read({ a: '1' });
  const versions = openVersions([FIELD], 'Version of ');
  const end = versions.subscribe(() => {});
  const base = fleet('a');
  const before = versions.get();
  assert.equal(versions.get(), before);
  assert.equal(before.value.index(base), before.value.index(base));
  read({ a: '2' });
  const { value } = versions.get();
  assert.notEqual(value, before.value);
  assert.equal(value.index(base).device(0)[FIELD], '2');
  end();
});

test('a filter passes one version, another than that, any, or none', () => {
  const base = fleet('a', 'b', 'c');
  const matching = (runs: Omit<RunsFilter, 'artifact'>) => {
    const filter = openAskedFilter({ runs: { artifact: 'myapp', ...runs } }, false).get().value;
    return filter && base.ids(base.query({ filter }));
  };
  assert.equal(matching({}), undefined, 'not read yet');
  read({ a: '1', b: '2' });
  assert.deepEqual(matching({ version: '1' }), ['a']);
  assert.deepEqual(matching({ other: '1' }), ['b']);
  assert.deepEqual(matching({}), ['a', 'b']);
  assert.deepEqual(matching({ none: true }), ['c']);
});
