// Deliveries: each until it succeeds, with growing pauses, for a day; on either engine.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { deleteChannel, insertChannel } from '../store/alert-settings.ts';
import { listDeliveries } from '../store/alert-outbox.ts';
import { FIRST_ACCOUNT } from '../store/accounts.ts';
import { until } from '../../scripts/test-process.ts';
import { openAlertSender, pauseAfter, type AlertSender } from './alert-sender.ts';
import type { Sent } from './attempt.ts';
import { MINUTE, openTestAlerts, type TestAlerts } from './test-alerts.ts';
import { wholeAccount } from '../store/scope.ts';

let at: TestAlerts;
let sender: AlertSender;
/** Ids by channel, in the order of the attempts. */
let sent: string[];
/** What never answers during a test does at its end. */
let over: PromiseWithResolvers<Sent>;
let answer: (channel: string) => Promise<Sent> | Sent;

const ok: Sent = { delivered: true, because: '' };
const failed: Sent = { delivered: false, because: 'it answered 500' };

async function open(): Promise<void> {
  at = await openTestAlerts();
  sent = [];
  over = Promise.withResolvers();
  start();
}
function start(): void {
  sender = openAlertSender({
    db: at.db,
    now: at.now,
    disk: { isReadOnly: () => false },
    send: async (channel, { Id }) => {
      sent.push(`${channel.name} ${Id}`);
      return answer(channel.name);
    },
  });
}
afterEach(async () => {
  over.resolve(ok);
  await sender.close();
  await at.close();
});
const deliveries = async () =>
  (await listDeliveries(at.db, wholeAccount(FIRST_ACCOUNT), { before: undefined, limit: 100 })).Items;
/** One message to the rule's channels. */
async function offlineMessage(Channels: string[] = [at.channel]): Promise<void> {
  await at.rule('DeviceOffline', { Channels });
  await at.leave(await at.device('camera'));
  await at.pass();
}
/** Sends what is due, and waits until that has ended. */
async function sendAll(): Promise<void> {
  await sender.sendDue();
  await sender.settled();
}

test('a delivery that fails is tried again with growing pauses and the same Id', async () => {
  await open();
  answer = () => (sent.length < 3 ? failed : ok);
  await offlineMessage();
  await sendAll();
  assert.deepEqual(
    (await deliveries()).map(({ State, Attempts, Because }) => [State, Attempts, Because]),
    [['Waiting', 1, 'it answered 500']],
  );
  await sendAll();
  assert.equal(sent.length, 1, 'not before its time');
  await at.pass(1);
  await sendAll();
  await at.pass(1);
  await sendAll();
  assert.equal(new Set(sent).size, 1);
  assert.equal(sent.length, 3);
  const [done] = await deliveries();
  assert.deepEqual([done?.State, done?.Attempts, done?.Because, done?.NextTime], ['Delivered', 3, '', '']);
});

test('a clock that is set during an attempt neither puts off the next one nor ends the delivery', async () => {
  await open();
  const YEARS_10 = 10 * 365 * 24 * 60 * MINUTE;
  for (const by of [YEARS_10, -YEARS_10]) {
    let set: Promise<unknown> | undefined;
    answer = () => {
      // Its write begins after the attempt, and comes before that of its outcome.
      set = at.setClock(by);
      return failed;
    };
    if (sent.length === 0) await offlineMessage();
    await sendAll();
    await set;
    const [delivery] = await deliveries();
    assert.equal(delivery?.State, 'Waiting');
    assert.ok(Date.parse(delivery.NextTime) - at.now() <= 10 * MINUTE, delivery.NextTime);
    await at.pass(10);
  }
  answer = () => ok;
  await sendAll();
  assert.equal((await deliveries())[0]?.State, 'Delivered');
});

test('after a day a delivery has failed for good', async () => {
  await open();
  answer = () => failed;
  await offlineMessage();
  for (let hour = 0; hour < 30; hour++) {
    await sendAll();
    await at.pass(60);
  }
  const [last] = await deliveries();
  assert.equal(last?.State, 'Failed');
  assert.equal(last?.Attempts, 25);
  const pauses = Array.from({ length: 12 }, (_, made) => pauseAfter(made + 1));
  assert.deepEqual(
    pauses,
    pauses.toSorted((one, other) => one - other),
  );
  assert.equal(pauses.at(-1), 60 * MINUTE);
});

test('a channel that does not answer keeps no other waiting', async () => {
  await open();
  const other = await at.db.write((tx) =>
    insertChannel(tx, FIRST_ACCOUNT, { Name: 'Mail', Kind: 'email', To: ['a@b.example'] }, '', at.now()),
  );
  answer = (channel) => (channel === 'Ops' ? over.promise : ok);
  await offlineMessage([at.channel, other]);
  await offlineMessage([at.channel, other]);
  await sender.sendDue();
  await until('the first of the other channel', () => sent.filter((one) => one.startsWith('Mail')).length === 1);
  await until('the second', async () => {
    await sender.sendDue();
    return sent.filter((one) => one.startsWith('Mail')).length > 1;
  });
  assert.equal(sent.filter((one) => one.startsWith('Ops')).length, 1);
});

test('an attempt that a stop cuts off does not count, and is made again', async () => {
  await open();
  const cut = Promise.withResolvers<Sent>();
  answer = () => cut.promise;
  await offlineMessage();
  await sender.sendDue();
  await until('the attempt', () => sent.length === 1);
  const closing = sender.close();
  cut.resolve(failed);
  await closing;
  assert.equal((await deliveries())[0]?.Attempts, 0);
  answer = () => ok;
  start();
  await sendAll();
  assert.equal(new Set(sent).size, 1);
  assert.equal((await deliveries())[0]?.State, 'Delivered');
});

test('what waits for a deleted channel is not sent', async () => {
  await open();
  answer = () => ok;
  await offlineMessage();
  await at.db.write((tx) => deleteChannel(tx, FIRST_ACCOUNT, at.channel));
  await sendAll();
  assert.deepEqual(sent, []);
  assert.equal((await deliveries())[0]?.Because, 'the channel was deleted');
});
