// All stored times, and what happens to each when the computer's clock is set (clock.ts). A time that durations are
// still measured from is shifted, so that a session, a gate or a time limit lasts as long as it should. A time that is
// only a record stays as it was written. A migration that adds a time must add it here: open-times.test.ts compares
// this list with the tables.
import type { Tx } from './database.ts';
import { moveAlive } from './state-history.ts';

const OPEN_ROLLOUTS = "SELECT seq FROM rollouts WHERE state IN ('Scheduled', 'Running', 'Waiting', 'Paused')";
const OPEN_JOBS = "status IN ('Waiting', 'Running')";

interface OpenTimes {
  table: string;
  columns: readonly string[];
  /** Limits the shift to these rows. */
  where?: string;
}

/** Times that are compared with the current time. */
export const OPEN_TIMES: readonly OpenTimes[] = [
  { table: 'sessions', columns: ['rotated', 'created', 'last_used', 'ends'] },
  { table: 'signin_codes', columns: ['expires'] },
  { table: 'person_codes', columns: ['expires'] },
  { table: 'pairings', columns: ['expires'] },
  { table: 'uploads', columns: ['expires'], where: 'expires > 0' },
  // A key is valid for a day.
  { table: 'idempotency_keys', columns: ['created'] },
  { table: 'devices', columns: ['state_time', 'key_since', 'next_key_sent'] },
  { table: 'tunnels', columns: ['connected', 'expires'] },
  {
    // A parent ends with its last child, so its ended children are shifted too. The gate of a wave is measured from the
    // end of its jobs, and a failed job waits for its verdict for a while before it is reported.
    table: 'jobs',
    columns: ['created', 'started', 'ended', 'stop_asked'],
    where: `seq IN (
      SELECT seq FROM jobs WHERE ${OPEN_JOBS}
      UNION SELECT seq FROM jobs WHERE parent_seq IN
        (SELECT seq FROM jobs WHERE parent_seq IS NULL AND device_seq IS NULL AND ${OPEN_JOBS})
      UNION SELECT job_seq FROM rollout_waves WHERE job_seq IS NOT NULL AND rollout_seq IN (${OPEN_ROLLOUTS})
      UNION SELECT c.seq FROM rollout_waves w JOIN jobs c ON c.parent_seq = w.job_seq
        WHERE w.rollout_seq IN (${OPEN_ROLLOUTS})
      UNION SELECT job_seq FROM alert_jobs)`,
  },
  {
    table: 'output_runs',
    columns: ['at'],
    where: "job_seq IN (SELECT seq FROM jobs WHERE status = 'Running')",
  },
  { table: 'rollout_waves', columns: ['started', 'began', 'passed'], where: `rollout_seq IN (${OPEN_ROLLOUTS})` },
  { table: 'alert_rules', columns: ['sent', 'silent_until'], where: 'sent IS NOT NULL OR silent_until IS NOT NULL' },
  { table: 'alert_firing', columns: ['since'] },
  { table: 'alert_events', columns: ['at', 'since'] },
  { table: 'alert_deliveries', columns: ['due', 'until'], where: "state = 'Waiting'" },
];

const SHOWN = 'When it was made: only shown.';
const CHANGED = 'When it was changed: only shown.';
const KEPT = 'When it was. It is kept for some days after that date.';
const DATABASE = "By the database's clock, which is not this machine's.";

/** Times that are not shifted, by `table.column`, with the reason. */
export const FIXED_TIMES: Readonly<Record<string, string>> = {
  'accounts.created': SHOWN,
  'accounts.removed': 'When it was: only whether there is one counts.',
  'people.created': SHOWN,
  'people.last_seen': 'When it was: only shown.',
  'tokens.expires': 'A date that a person chose.',
  'tokens.created': SHOWN,
  'tokens.last_used': 'Only shown, and noted again after a step in either direction.',
  'tokens.revoked': 'When it was: only whether there is one counts.',
  'devices.created': SHOWN,
  'devices.rotation_asked': 'When it was: only whether there is one counts.',
  'devices.last_seen': 'When it was: only shown. Alerts and gates count from state_time.',
  'devices.agent_problem_time': 'When it was: only shown.',
  'tags.created': SHOWN,
  'enrolment_keys.expires': 'A date that a person chose.',
  'enrolment_keys.created': SHOWN,
  'enrolment_keys.last_used': 'When it was: only shown.',
  'enrolments.first_asked': 'When it was: only shown.',
  'enrolments.last_asked': 'When it was: only shown.',
  'artifacts.created': SHOWN,
  'workflows.created': SHOWN,
  'tunnels.created': SHOWN,
  'jobs.output_removed': 'When it was: only shown.',
  'jobs.archived': 'When it was: the archive is sorted by it.',
  'job_states.archived': 'Whether it is, not when.',
  'audit.at': 'Part of what the hash of the entry covers.',
  'nodes.expires': DATABASE,
  'leases.expires': DATABASE,
  'bulk.created': SHOWN,
  'bulk.ended': KEPT,
  'usage_days.day': 'A date of the calendar.',
  'state_changes.at': KEPT,
  'state_changes.online_before': 'How long, not when.',
  'service_gaps.from_time': KEPT,
  'service_gaps.to_time': KEPT,
  'state_totals.at': 'How far state_changes are counted, which do not move.',
  'notes.at': SHOWN,
  'device_facts.at': SHOWN,
  'fact_reports.at': 'Only shown, and noted again after a step in either direction.',
  'views.changed': CHANGED,
  'alert_channels.created': SHOWN,
  'alert_rules.created': SHOWN,
  'alert_messages.at': KEPT,
  'alert_deliveries.last': 'When it was: only shown.',
  'outcome_rules.changed': CHANGED,
  // StartTime and the windows of a rollout are calendar times: they stay as people set them.
  'rollouts.created': SHOWN,
  'rollouts.ended': 'When it was: only whether it has ended counts.',
  'rollout_steps.at': 'When it was: only shown.',
  'device_versions.at': 'When it was: only shown. Which version is newer is decided by the order of jobs.',
  'standing_orders.changed': CHANGED,
};

/** Shifts all open times by this many milliseconds. */
export async function moveOpenTimes(tx: Tx, by: number): Promise<void> {
  await moveAlive(tx, by);
  for (const { table, columns, where } of OPEN_TIMES) {
    const moved = columns.map((column) => `${column} = ${column} + ?1`).join(', ');
    await tx.run(`UPDATE ${table} SET ${moved}${where === undefined ? '' : ` WHERE ${where}`}`, by);
  }
}
