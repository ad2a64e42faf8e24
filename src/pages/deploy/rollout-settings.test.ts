import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device as deviceSchema } from '#/contract/devices.ts';
import {
  NEW_ROLLOUT,
  NEW_WINDOW,
  canaryByHand,
  chosenDevices,
  presetOf,
  rolloutFault,
  rolloutOf,
  withNewWave,
} from './rollout-settings.ts';

const devices = ['pump 1', 'pump 2'].map((DeviceName, at) =>
  deviceSchema.parse({ DeviceId: `d${at + 1}`, DeviceName }),
);

test('devices are chosen by name or id, in any letter case and once each', () => {
  assert.deepEqual(chosenDevices('Pump 1\nd2, D1\n\npump 3', devices), { ids: ['d1', 'd2'], unknown: ['pump 3'] });
});

test('a canary by hand begins with a device that is Online, and goes on when a person says so', () => {
  const online = deviceSchema.parse({ DeviceId: 'd3', DeviceName: 'pump 3', DeviceStatus: 'Online' });
  const canary = canaryByHand([...devices, online]);
  assert.deepEqual(canary.waves, [
    { kind: 'chosen', text: 'pump 3' },
    { kind: 'percent', value: 100 },
  ]);
  assert.equal(canary.isConfirmed, true);
  assert.deepEqual(canaryByHand(devices).waves[0], { kind: 'chosen', text: 'pump 1' });
});

test('the preset of the settings is known until somebody changes the waves', () => {
  assert.equal(presetOf(undefined), 'at-once');
  assert.equal(presetOf(NEW_ROLLOUT), 'steps');
  assert.equal(presetOf(canaryByHand(devices)), 'canary');
  assert.equal(presetOf({ ...NEW_ROLLOUT, waves: NEW_ROLLOUT.waves.slice(1) }), undefined);
  assert.equal(presetOf({ ...canaryByHand(devices), isConfirmed: false }), undefined);
});

test('a rollout to a group names the group, one to a selection its devices', () => {
  const payload = { kind: 'artifact', value: 'a' } as const;
  const group = { target: { kind: 'group', value: 'hall' }, payload, name: undefined } as const;
  const draft = rolloutOf(group, 'myapp', { ...NEW_ROLLOUT, includeNew: true }, devices);
  assert.deepEqual(
    [draft.DeviceGroup, draft.DeviceIds, draft.ArtifactId, draft.IncludeNew, draft.Waves[0]],
    ['hall', undefined, 'a', true, { Percent: 1 }],
  );
  const selection = rolloutOf({ ...group, target: { kind: 'selection', value: 's' } }, 'myapp', NEW_ROLLOUT, devices);
  assert.deepEqual([selection.DeviceIds, selection.IncludeNew], [['d1', 'd2'], false]);
});

test('failures are counted in percent or devices, and windows are sent unchanged', () => {
  const target = { kind: 'group', value: 'hall' } as const;
  const choice = { target, payload: { kind: 'artifact', value: 'a' }, name: undefined } as const;
  const draft = (more: object) => rolloutOf(choice, 'myapp', { ...NEW_ROLLOUT, ...more }, devices);
  assert.deepEqual(draft({}).PauseAfter, { FailedPercent: 5 });
  assert.deepEqual(draft({ failed: { kind: 'count', value: 0 } }).PauseAfter, { FailedCount: 0 });
  const windows = [NEW_WINDOW('Europe/Berlin'), NEW_WINDOW('Asia/Tokyo')];
  assert.deepEqual([draft({}).Windows, draft({ windows }).Windows], [undefined, windows]);
});

test('missing values are reported before the rollout is sent', () => {
  const chosen = (text: string) => rolloutFault({ ...NEW_ROLLOUT, waves: [{ kind: 'chosen', text }] }, devices);
  assert.equal(chosen(''), 'Wave 1: name its devices.');
  assert.equal(chosen('pump 9'), 'Wave 1: “pump 9” is none of the devices.');
  assert.equal(chosen('pump 1'), undefined);
  assert.equal(rolloutFault({ ...NEW_ROLLOUT, waves: [] }, devices), 'Add a wave first.');
});

test('cumulative percentages must rise from wave to wave', () => {
  const fault = (...waves: (typeof NEW_ROLLOUT)['waves'][number][]) => rolloutFault({ ...NEW_ROLLOUT, waves }, devices);
  const percent = (value: number) => ({ kind: 'percent', value }) as const;
  assert.equal(fault(percent(50), percent(10)), 'Wave 2 must be more than the 50 % of wave 1.');
  assert.equal(
    fault(percent(5), { kind: 'count', value: 1 }, percent(5)),
    'Wave 3 must be more than the 5 % of wave 1.',
  );
  assert.equal(fault(percent(1), { kind: 'count', value: 9 }, percent(100)), undefined);
});

test('an added wave includes devices', () => {
  const added = (...values: number[]) =>
    withNewWave(values.map((value) => ({ kind: 'percent', value }))).map(
      (row) => 'value' in row && [row.kind, row.value],
    );
  assert.deepEqual(added(50, 100), [
    ['percent', 50],
    ['percent', 75],
    ['percent', 100],
  ]);
  assert.deepEqual(added(10), [
    ['percent', 10],
    ['percent', 100],
  ]);
  assert.deepEqual(added(99, 100), [
    ['percent', 99],
    ['percent', 100],
    ['count', 1],
  ]);
});
