// Histories of the link that once did not end: what agent-link.property.test.ts found, in its smallest form.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { TestLink } from './test-link.ts';

let link: TestLink;
beforeEach(async () => {
  link = await TestLink.open();
});
afterEach(() => link.close());

/** Kinds of the messages since the last call. */
let seen = 0;
beforeEach(() => (seen = 0));
const said = () => {
  const types = link.sent.slice(seen).map(({ type }) => type);
  seen = link.sent.length;
  return types;
};
const statuses = async () => (await link.records()).map(({ row }) => row?.status ?? 'deleted');

test('a job that is stopped while a full disk refuses it ends once, and then nothing is sent', async () => {
  await link.submit();
  link.dial(0);
  link.fillDisk('low');
  await link.deliver('service', 1);
  await link.stop(0);
  assert.deepEqual(said(), ['hello', 'welcome', 'run', 'cancel']);
  assert.ok(await link.settle());
  assert.deepEqual(said(), ['ended', 'settled']);
  assert.deepEqual(await statuses(), ['Failed']);
});

test('an end that arrives twice is settled twice, and then nothing is sent', async () => {
  await link.submit();
  link.fillDisk('full');
  link.dial(0);
  assert.ok(await link.settle());
  assert.deepEqual(said(), ['hello', 'welcome', 'run', 'ended', 'settled']);
  await link.repeat('service', 1);
  assert.ok(await link.settle());
  assert.deepEqual(said(), ['settled']);
});

test('a refused job that was deleted meanwhile is settled, and a late cancel has no answer', async () => {
  await link.submit();
  link.fillDisk('full');
  link.dial(0);
  await link.deliver('service', 1);
  await link.remove(0);
  await link.remove(0);
  assert.ok(await link.settle());
  assert.deepEqual(said(), ['hello', 'welcome', 'run', 'cancel', 'ended', 'settled']);
  assert.deepEqual(await statuses(), ['deleted']);
});

test('a job whose end cannot be noted as settled is settled at the next connection', async () => {
  await link.submit();
  link.dial(0);
  assert.ok(await link.settle());
  link.finish();
  link.fillDisk('full');
  assert.ok(await link.settle());
  assert.deepEqual(await statuses(), ['Succeeded']);
  assert.equal(link.left().length, 1);
  link.fillDisk('free');
  link.agentLoses();
  link.dial(1);
  said();
  assert.ok(await link.settle());
  assert.deepEqual(said(), ['welcome', 'cancel', 'settled']);
  assert.deepEqual(link.left(), []);
});
