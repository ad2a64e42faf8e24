// Sends what is due in the outbox; each delivery is retried for a day. An attempt that a kill interrupts is repeated with
// the same Id, by which the receiver can recognise it.
import type { AlertMessage } from '#/contract/alerts.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import { openCounter } from '../operation/metrics.ts';
import { channelBySeq, type ChannelRow } from '../store/alert-settings.ts';
import { dueDeliveries, limitOf, noteAttempt, type DueDelivery } from '../store/alert-outbox.ts';
import type { Database } from '../store/database.ts';
import type { DiskSpace } from '../store/disk-space.ts';
import { logFault } from '../store/system-fault.ts';
import type { Sent } from './attempt.ts';

export interface AlertSender {
  /** Starts sending what is due. */
  sendDue(): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<unknown>;
  /** Ends what is under way; it counts as not sent. */
  close(): Promise<void>;
}

/** Sends a message to a channel once; never throws. */
export type SendOnce = (channel: ChannelRow, message: AlertMessage, signal: AbortSignal) => Promise<Sent>;

/** Channels that are sent to at the same time; each gets one message at a time. */
const MOST_AT_ONCE = 16;
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 3_600_000;

const attempts = openCounter('muster_alert_attempts', 'Attempts to deliver an alert, by outcome.', 'outcome', [
  'delivered',
  'retried',
  'failed',
]);

/** The pause after this many attempts. */
export const pauseAfter = (made: number): number => Math.min(FIRST_PAUSE_MS * 2 ** (made - 1), LONGEST_PAUSE_MS);

const messageOf = (row: DueDelivery): AlertMessage => ({
  Id: row.id,
  Time: printIsoTime(new Date(row.at)),
  Event: row.event,
  Rule: row.rule,
  Text: row.text,
  Devices: JSON.parse(row.devices) as AlertMessage['Devices'],
  ...(row.job_id && { JobId: row.job_id }),
  ...(row.rollout_id && { RolloutId: row.rollout_id }),
});

interface SenderOptions {
  db: Database;
  now: () => number;
  disk: Pick<DiskSpace, 'isReadOnly'>;
  send: SendOnce;
}

export function openAlertSender({ db, now, disk, send }: SenderOptions): AlertSender {
  /** By channel. */
  const underWay = new Map<number, Promise<void>>();
  const stop = new AbortController();

  const deliver = async (row: DueDelivery) => {
    const channel = await channelBySeq(db, row.channel_seq);
    // Its deletion has ended the delivery.
    if (!channel) return;
    const sent = await send(channel, messageOf(row), stop.signal);
    if (stop.signal.aborted && !sent.delivered) return;
    const state = await db.write(
      async (tx) => {
        // Both times in the transaction: if the clock was set during the attempt, the stored ones have moved.
        const at = now();
        const due = at + pauseAfter(row.attempts + 1);
        const outcome = sent.delivered ? 'Delivered' : due > (await limitOf(tx, row.seq)) ? 'Failed' : 'Waiting';
        await noteAttempt(tx, row.seq, { state: outcome, because: sent.because, due, now: at });
        return outcome;
      },
      { essential: true },
    );
    attempts.add(state === 'Waiting' ? 'retried' : state.toLowerCase());
  };

  const start = (row: DueDelivery) => {
    const done = deliver(row)
      .catch((cause: unknown) => logFault('could not deliver an alert', cause))
      .finally(() => underWay.delete(row.channel_seq));
    underWay.set(row.channel_seq, done);
  };

  const settled = () => Promise.all(underWay.values());

  return {
    settled,
    sendDue: async () => {
      if (disk.isReadOnly()) return;
      for (const row of await dueDeliveries(db, now()))
        if (underWay.size < MOST_AT_ONCE && !underWay.has(row.channel_seq) && !stop.signal.aborted) start(row);
    },
    close: async () => {
      stop.abort();
      await settled();
    },
  };
}
