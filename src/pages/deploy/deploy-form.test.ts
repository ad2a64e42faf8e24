import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device } from '#/contract/devices.ts';
import { deployUrl } from './deploy-choice.ts';
import { deployPlan, submissionOf, type DeployForm } from './deploy-form.ts';
import { NEW_PREFLIGHT } from './preflight-script.ts';

const EMPTY: DeployForm = { typedName: undefined, confirmation: '', preflight: undefined, rollout: undefined };
const two = ['d1', 'd2'].map((DeviceId) => device.parse({ DeviceId, DeviceName: DeviceId, DeviceStatus: 'Online' }));
const lab = { kind: 'group', label: 'group lab', name: 'lab', devices: two, fault: undefined, error: null } as const;
const payload = { text: 'app 1.2' };
const reason = (form: Partial<DeployForm>, targets: Parameters<typeof deployPlan>[1] = lab, what = true) =>
  deployPlan({ ...EMPTY, ...form }, targets, what ? payload : undefined).reason;

test('the name is suggested until one is typed', () => {
  assert.equal(deployPlan(EMPTY, lab, payload).name, 'app 1.2 to group lab');
  assert.equal(deployPlan({ ...EMPTY, typedName: 'mine' }, lab, payload).name, 'mine');
});

test('obstacles are reported one after the other', () => {
  assert.equal(reason({}, { ...lab, label: undefined }), 'Choose a target first.');
  assert.equal(reason({}, { ...lab, devices: undefined }), 'The devices are being read.');
  assert.equal(reason({}, { ...lab, devices: undefined, error: new Error('x') }), 'The devices could not be read.');
  assert.equal(reason({}, { ...lab, devices: [] }), 'No device is in group lab now.');
  assert.equal(reason({}, { ...lab, fault: 'Too many.' }), 'Too many.');
  assert.equal(reason({}, lab, false), 'Choose what to run first.');
  assert.equal(reason({ typedName: ' ' }), 'Name must not be empty.');
  assert.equal(reason({ preflight: { ...NEW_PREFLIGHT, kind: 'workflow' } }), 'Choose the workflow that checks first.');
  assert.equal(reason({}), undefined);
});

test('only a deploy to more than 50 devices asks for a word', () => {
  const many = (count: number) => ({
    ...lab,
    devices: Array.from({ length: count }, (_, at) => device.parse({ DeviceId: `d${at}`, DeviceName: '' })),
  });
  assert.equal(reason({}, many(50)), undefined);
  assert.equal(reason({}, many(51)), 'Type the confirmation first.');
  assert.equal(reason({ confirmation: 'lab' }, many(51)), undefined);
  assert.equal(reason({ confirmation: '51' }, many(51)), undefined);
  assert.equal(reason({ confirmation: '50' }, many(51)), 'Type the confirmation first.');
});

test('a group and a selection are one request each', () => {
  const sent = (search: string) => {
    const targets = { ...lab, jobTarget: { group: 'lab' }, gone: 0, at: new Date(), isFetching: false };
    return submissionOf(deployUrl.read(search), 'n', { ...targets, refetch: () => {}, accept: () => {} })?.body;
  };
  assert.deepEqual(sent('group=lab&artifact=a'), { Name: 'n', DeviceGroup: 'lab', ArtifactId: 'a' });
  assert.deepEqual(sent('selection=7&artifact=a'), { Name: 'n', DeviceIds: ['d1', 'd2'], ArtifactId: 'a' });
});
