// Applies alert rules to the state of the fleet, and decides which messages are sent. A decision is stored in the
// transaction that makes it, so that a kill at any moment neither loses nor repeats a message.
import type { DiskSpace } from '../store/disk-space.ts';
import type { Database, Reader, Tx } from '../store/database.ts';
import {
  countFiring,
  isStale,
  hasUnnoted,
  noteLimits,
  noteNew,
  noteStates,
  notedLimits,
  sitesOf,
  type NearLimit,
} from '../store/alert-firing.ts';
import { noteEndedJobs } from '../store/alert-jobs.ts';
import { dropEvents, eventSpan, insertMessage, takeEvents, type EventRow } from '../store/alert-outbox.ts';
import { allRules, isSilent, ruleBySeq, type RuleRow } from '../store/alert-settings.ts';
import { nearLimits } from './near-limits.ts';
import { jobText, messageOf } from './words.ts';

/**
 * The devices of a site do not all go Offline in the same second: events that follow each other within this time share
 * one message, which waits for at most twice that time.
 */
const GATHER_MS = 15_000;
const MOST_GATHERED = 2;

interface EvaluationOptions {
  db: Database;
  now: () => number;
  disk: Pick<DiskSpace, 'state' | 'refusal'>;
  gatherMs?: number | undefined;
}

/**
 * Messages about a single job or rollout that a rule sends per evaluation: as many as a channel can take until the next
 * one, at one a second. More events than that share one message, so that the last of thousands is not sent hours later.
 */
const MOST_SINGLE = 5;

/** Each job and rollout is a message of its own, unless the rule wants fewer. */
const isSingle = ({ event, quiet_minutes }: RuleRow): boolean =>
  (event === 'JobFailed' || event === 'RolloutPaused' || event === 'RolloutEnded') && quiet_minutes === 0;

export function openAlertEvaluation({ db, now, disk, gatherMs = GATHER_MS }: EvaluationOptions): () => Promise<void> {
  /** Whether the next message of the rule may be sent. */
  const isDue = async (reader: Reader, rule: RuleRow): Promise<boolean> => {
    const span = await eventSpan(reader, rule.seq);
    if (!span || isSilent(rule, now())) return false;
    if (rule.sent !== null && now() - rule.sent < rule.quiet_minutes * 60_000) return false;
    return isSingle(rule) || now() - span.last >= gatherMs || now() - span.first >= MOST_GATHERED * gatherMs;
  };

  const send = async (tx: Tx, rule: RuleRow) => {
    const events = await takeEvents(tx, rule.seq);
    const sites = rule.event === 'DeviceOffline' ? await sitesOf(tx, rule) : [];
    const isApart = isSingle(rule) && events.length <= MOST_SINGLE;
    const messages: EventRow[][] = isApart ? events.map((event) => [event]) : [events];
    for (const message of messages) await insertMessage(tx, rule, messageOf(rule, message, sites), now());
  };

  const apply = async (tx: Tx, ruleSeq: number, near: readonly NearLimit[]) => {
    // It may have been changed or deleted since.
    const rule = await ruleBySeq(tx, ruleSeq);
    if (!rule) return;
    if (rule.event === 'QuotaNear') await noteLimits(tx, rule, near, now());
    else await noteStates(tx, rule, now());
    if (!isSilent(rule, now())) await noteNew(tx, rule, now());
    else await dropEvents(tx, rule.seq);
    await countFiring(tx, rule);
    if (await isDue(tx, rule)) await send(tx, rule);
  };

  const needsWork = async (rule: RuleRow, near: readonly NearLimit[]): Promise<boolean> => {
    if (rule.event === 'QuotaNear') {
      const noted = await notedLimits(db, rule.seq);
      if (noted.length !== near.length || near.some(({ object }) => !noted.includes(object))) return true;
    } else if (await isStale(db, rule, now())) return true;
    if (isSilent(rule, now())) return (await eventSpan(db, rule.seq)) !== undefined;
    return (await hasUnnoted(db, rule.seq)) || isDue(db, rule);
  };

  return async () => {
    const rules = await allRules(db);
    const isFull = disk.refusal() !== undefined;
    if (!isFull) await noteEndedJobs(db, jobText, now);
    for (const rule of rules) {
      // On a full disk only the message about it is written.
      if (isFull && rule.event !== 'QuotaNear') continue;
      const near = rule.event === 'QuotaNear' ? await nearLimits(db, rule, disk.state()) : [];
      if (await needsWork(rule, near))
        await db.write((tx) => apply(tx, rule.seq, near), { patient: true, essential: isFull });
    }
  };
}
