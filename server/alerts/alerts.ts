// Alerts: what runs in the background for them, and the test of a channel.
import type { AlertMessage } from '#/contract/alerts.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { LeaderTask } from '../leader-work.ts';
import { pruneMessages } from '../store/alert-outbox.ts';
import type { ChannelRow } from '../store/alert-settings.ts';
import type { Database } from '../store/database.ts';
import type { DiskSpace } from '../store/disk-space.ts';
import { newId } from '../store/ids.ts';
import { DAY_MS } from '../store/usage.ts';
import { openAlertEvaluation } from './alert-evaluation.ts';
import { openAlertSender, type SendOnce } from './alert-sender.ts';
import type { Sent } from './attempt.ts';
import { sendEmail, sendMail, type EmailSettings, type Mail } from './email.ts';
import { sendWebhook, targetOf } from './webhook.ts';

export interface Alerts {
  /** For the node that leads. */
  tasks: readonly LeaderTask[];
  /** Whether there is a server for e-mail. */
  hasEmail: boolean;
  /** Why a webhook to this address would be refused; undefined if it would not, or if the name has no address now. */
  refusalOf(url: string): Promise<string | undefined>;
  /** Sends a message to the channel at once. */
  test(channel: ChannelRow): Promise<Sent>;
  /** Sends a message to a person. Never throws. */
  mail(to: string, mail: Mail): Promise<Sent>;
  close(): Promise<void>;
}

interface AlertsOptions {
  db: Database;
  now: () => number;
  disk: DiskSpace;
  /** ALERT_PRIVATE_TARGETS. */
  allowPrivate: boolean;
  email: EmailSettings | undefined;
  historyDays: number;
  times?: AlertTimes | undefined;
}

/** For tests: how often the rules are applied, and how long what happens together is gathered. */
export interface AlertTimes {
  everyMs: number;
  gatherMs: number;
}

const EVERY_MS = 5_000;
const TEST_TEXT = 'This is a test of the channel. Nothing is wrong.';
export const NO_SMTP = 'SMTP_URL is not set on the service';

export function openAlerts({ db, now, disk, allowPrivate, email, historyDays, times }: AlertsOptions): Alerts {
  const closing = new AbortController();
  const send: SendOnce = async (channel, message, signal) => {
    if (channel.kind === 'webhook') return sendWebhook(channel, message, { allowPrivate, now, signal });
    if (!email) return { delivered: false, because: NO_SMTP };
    return sendEmail(email, JSON.parse(channel.recipients) as string[], message, signal);
  };
  const sender = openAlertSender({ db, now, disk, send });
  return {
    tasks: [
      {
        what: 'look for alerts',
        everyMs: times?.everyMs ?? EVERY_MS,
        run: openAlertEvaluation({ db, now, disk, gatherMs: times?.gatherMs }),
      },
      { what: 'send alerts', everyMs: 1_000, run: () => sender.sendDue() },
      { what: 'remove old alerts', everyMs: 600_000, run: () => pruneMessages(db, now() - historyDays * DAY_MS) },
    ],
    hasEmail: email !== undefined,
    refusalOf: async (url) => {
      // A name without an address may get one: the first attempt will tell.
      const target = await targetOf(new URL(url), { allowPrivate }).catch(() => undefined);
      return target && 'refusal' in target ? target.refusal : undefined;
    },
    test: (channel) => {
      const message: AlertMessage = {
        Id: newId(),
        Time: printIsoTime(new Date(now())),
        Event: 'Test',
        Rule: 'Test',
        Text: TEST_TEXT,
        Devices: [],
      };
      return send(channel, message, closing.signal);
    },
    mail: async (to, mail) =>
      email ? sendMail(email, [to], mail, closing.signal) : { delivered: false, because: NO_SMTP },
    close: async () => {
      closing.abort();
      await sender.close();
    },
  };
}
