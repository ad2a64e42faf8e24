import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionText } from '#/contract/audit-actions.ts';
import { actorText } from '#/features/audit-link/actor-text.ts';
import { itemsText, pageOf, subjectOf } from './audit-words.ts';

test('an actor is named by what it is, and by its id where its name is unknown', () => {
  assert.equal(actorText({ Actor: 'token:t1', ActorName: 'Build server' }), 'Token Build server');
  assert.equal(actorText({ Actor: 'token:t1', ActorName: '' }), 'Token t1');
  assert.equal(actorText({ Actor: 'session:s1', ActorName: 'Sign-in link' }), 'Browser, Sign-in link');
  assert.equal(actorText({ Actor: 'person:p1', ActorName: 'Ada Lovelace' }), 'Ada Lovelace');
  assert.equal(actorText({ Actor: 'person:p1', ActorName: '' }), 'Person p1');
  assert.equal(actorText({ Actor: 'operator', ActorName: '' }), 'Service operator');
  assert.equal(actorText({ Actor: 'somebody new', ActorName: '' }), 'somebody new');
});

test('a bulk action is about as many devices or jobs as its entry says', () => {
  assert.equal(itemsText({ Action: 'bulk.tag', Object: 'b1 1000 Devices' }), '1,000 devices');
  assert.equal(itemsText({ Action: 'bulk.stop', Object: 'b1 1 Jobs' }), '1 job');
  assert.equal(itemsText({ Action: 'bulk.cancel', Object: 'b1' }), '');
  assert.equal(itemsText({ Action: 'view.save', Object: 'my 2 Devices' }), '');
});

test('an unknown action is shown as it is', () => {
  assert.equal(actionText('device.create'), 'Created device');
  assert.equal(actionText('rocket.launch'), 'rocket.launch');
  assert.equal(actionText('toString'), 'toString');
});

test('an entry links to its object, unless that was deleted', () => {
  assert.equal(pageOf({ Actor: 'person:p1', Action: 'device.update', Object: 'd1' }), '/devices/d1');
  assert.equal(pageOf({ Actor: 'person:p1', Action: 'tag.attach', Object: 't1 d1' }), '/devices/d1');
  assert.equal(pageOf({ Actor: 'person:p1', Action: 'bulk.tag', Object: 'b1 100 Devices' }), '/bulk/b1');
  assert.equal(subjectOf({ Action: 'bulk.tag', Object: 'b1 100 Devices' }), 'b1');
  assert.equal(subjectOf({ Action: 'tunnel.remove', Object: 'name d1' }), 'name');
  assert.equal(pageOf({ Actor: 'person:p1', Action: 'tunnel.remove', Object: 'name d1' }), '/devices/d1');
  assert.equal(pageOf({ Actor: 'device:d1', Action: 'tunnel.end', Object: 'name' }), '/devices/d1');
  assert.equal(pageOf({ Actor: 'person:p1', Action: 'tunnel.remove-all', Object: '12' }), undefined);
  assert.equal(pageOf({ Actor: 'person:p1', Action: 'job.download', Object: 'j1' }), '/jobs/j1');
  assert.equal(pageOf({ Actor: 'person:p1', Action: 'job.download', Object: 'all' }), '/archive');
  assert.equal(pageOf({ Actor: 'person:p1', Action: 'device.remove', Object: 'd1' }), undefined);
  assert.equal(pageOf({ Actor: 'person:p1', Action: 'session.open', Object: 's1' }), undefined);
  assert.equal(pageOf({ Actor: 'person:p1', Action: 'rollout.pause', Object: 'r1' }), '/rollouts/r1');
  assert.equal(pageOf({ Actor: 'person:p1', Action: 'note.create', Object: 'n1 d1' }), '/devices/d1');
  assert.equal(pageOf({ Actor: 'person:p1', Action: 'order.save', Object: 'sensors on 2.4' }), '/rollouts/orders');
  assert.equal(subjectOf({ Action: 'order.save', Object: 'sensors on 2.4' }), 'sensors on 2.4');
  assert.equal(subjectOf({ Action: 'view.save', Object: 'my own view' }), 'my own view');
});
