// Texts about agents: each state has its own, and nothing is invented that a service does not report.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoTunnels, whyNoUpdate } from './agent-limits.ts';
import { problemText } from './agent-words.ts';

const device = {
  DeviceId: 'd',
  DeviceName: 'd',
  DeviceGroup: '',
  LocalAddr: '',
  LocalPort: '',
  DeviceStatus: 'Online',
  AgentVersion: '0.0.9',
};

test('a problem of an agent is described with its version and what to do', () => {
  assert.equal(problemText(device), undefined);
  assert.equal(problemText({ ...device, AgentProblem: '' }), undefined);
  assert.equal(problemText({ ...device, AgentProblem: 'TooOld' }), 'Agent too old (0.0.9): update it');
  assert.equal(problemText({ ...device, AgentProblem: 'TooNew' }), 'Agent too new (0.0.9): update the service');
  assert.equal(problemText({ ...device, AgentProblem: 'UpdateFailed' }), 'Agent update failed, still running 0.0.9');
  assert.equal(problemText({ ...device, AgentProblem: 'Haunted' }), 'Haunted (0.0.9)');
});

test('an agent that can be asked to update has no reason against it; every other has one', () => {
  assert.equal(whyNoUpdate({ ...device, AgentUpdate: 'Available' }), undefined);
  assert.equal(whyNoUpdate({ ...device, AgentUpdate: 'Available', AgentProblem: 'UpdateFailed' }), undefined);
  assert.match(whyNoUpdate(device) ?? '', /This service/);
  assert.match(whyNoUpdate({ ...device, AgentUpdate: '' }) ?? '', /too old to update itself/);
  assert.match(whyNoUpdate({ ...device, AgentUpdate: '', AgentProblem: 'TooOld' }) ?? '', /^Agent too old$/);
  assert.match(whyNoUpdate({ ...device, AgentUpdate: 'Current', DeviceStatus: 'Offline' }) ?? '', /Up to date/);
  for (const AgentUpdate of ['Current', 'Newer', 'Waiting', 'Updating', 'Unable'])
    assert.ok(whyNoUpdate({ ...device, AgentUpdate }), AgentUpdate);
  assert.equal(whyNoUpdate({ ...device, AgentUpdate: 'Available', DeviceStatus: 'Offline' }), 'Offline');
});

test('an agent that speaks HTTP has no tunnels, which its version shows', () => {
  assert.match(whyNoTunnels({ AgentVersion: '1.0 (sh)' }) ?? '', /has no tunnels/);
  assert.match(whyNoTunnels({ AgentVersion: '(http)' }) ?? '', /has no tunnels/);
  assert.equal(whyNoTunnels({ AgentVersion: '1.0' }), undefined);
  assert.equal(whyNoTunnels({ AgentVersion: undefined }), undefined);
});
