// What the leading node does by itself, and how often.
import type { Alerts } from './alerts/alerts.ts';
import type { KeyRotation } from './agents/key-rotation.ts';
import type { Dispatch } from './jobs/dispatch.ts';
import type { Judge } from './jobs/judge.ts';
import type { LeaderTask } from './leader-work.ts';
import type { OutputRetention } from './output-retention.ts';
import { openRolloutRunner } from './rollouts/runner.ts';
import { openStandingOrders } from './rollouts/standing-orders.ts';
import { AT_ONCE, hashAudit } from './store/audit-log.ts';
import { openHashLog } from './audit-witness.ts';
import { pruneChanges } from './store/changes.ts';
import type { Audit } from './store/audit.ts';
import type { Database } from './store/database.ts';
import type { DiskSpace } from './store/disk-space.ts';
import { ALIVE_EVERY_MS, noteAlive, openSettling, pruneStates } from './store/state-history.ts';
import { addSettledTotals } from './store/state-totals.ts';
import { closeExpired } from './store/tunnels.ts';
import { pruneSubmissions } from './store/submissions.ts';
import { DAY_MS, noteUsage } from './store/usage.ts';

interface LeaderTasksOptions {
  db: Database;
  now: () => number;
  audit: Audit;
  disk: Pick<DiskSpace, 'refusal'>;
  /** How many days of states are stored. */
  historyDays: number;
  retention: OutputRetention;
  judge: Judge;
  alerts: Pick<Alerts, 'tasks'>;
  dispatch: Pick<Dispatch, 'submitIn'>;
  keyRotation: Pick<KeyRotation, 'askDue'>;
  rolloutsEveryMs: number;
  steady?: (() => number) | undefined;
  removeAccounts: () => Promise<void>;
  removeUploads: () => Promise<void>;
}

export function leaderTasks(options: LeaderTasksOptions): LeaderTask[] {
  const {
    db,
    now,
    audit,
    disk,
    historyDays,
    retention,
    judge,
    alerts,
    dispatch,
    keyRotation,
    rolloutsEveryMs,
    removeAccounts,
    removeUploads,
    steady,
  } = options;
  /** Adds to the database only while the disk has room. */
  const ifRoom = (run: () => Promise<unknown>) => async () => disk.refusal() === undefined && run();
  const prune = () => pruneStates(db, now() - historyDays * DAY_MS);
  const alive = () => db.write((tx) => noteAlive(tx, now()));
  const closeTunnels = () =>
    db.write(async (tx) => {
      for (const { name, deviceId, accountId: id } of await closeExpired(tx, now()))
        await audit.record(
          tx,
          { account: { id, email: '' }, actor: `device:${deviceId}`, address: '' },
          'tunnel.end',
          name,
        );
    });
  const rollouts = openRolloutRunner({ db, now, dispatch, steady });
  return [
    { what: 'remove output that is due', everyMs: 5_000, run: () => retention.sweep() },
    { what: 'note that the service is up', everyMs: ALIVE_EVERY_MS, run: ifRoom(alive) },
    { what: 'settle the states of devices', everyMs: 10_000, run: ifRoom(openSettling(db, now)) },
    { what: 'remove old changes of states', everyMs: 600_000, run: prune },
    { what: 'add up the states of devices', everyMs: 1_000, run: ifRoom(() => addSettledTotals(db, now())) },
    { what: 'judge jobs by their outcome rules', everyMs: 500, run: ifRoom(() => judge.run()) },
    { what: 'carry rollouts on', everyMs: rolloutsEveryMs, run: ifRoom(rollouts) },
    {
      what: 'carry out standing orders',
      everyMs: rolloutsEveryMs,
      run: ifRoom(openStandingOrders({ db, now, dispatch, steady })),
    },
    { what: 'note what the accounts use', everyMs: 300_000, run: ifRoom(() => noteUsage(db, now())) },
    { what: 'delete what is in removed accounts', everyMs: 1_000, run: removeAccounts },
    { what: 'have devices take new keys', everyMs: 60_000, run: ifRoom(() => keyRotation.askDue()) },
    { what: 'remove uploads that have ended', everyMs: 5_000, run: removeUploads },
    { what: 'close tunnels whose time is over', everyMs: 5_000, run: ifRoom(closeTunnels) },
    { what: 'remove old idempotency keys', everyMs: 60_000, run: () => pruneSubmissions(db, now) },
    { what: 'remove old entries of the log of changes', everyMs: 60_000, run: () => pruneChanges(db) },
    { what: 'hash new entries of the audit log', everyMs: 2_000, run: ifRoom(() => hashAudit(db, AT_ONCE)) },
    { what: 'log the last hash of the audit log', everyMs: 60_000, run: openHashLog(db) },
    ...alerts.tasks,
  ];
}
