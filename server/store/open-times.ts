// The stored times that something is still measured against: who is signed in, what runs, what a repeated request is
// compared with. When the computer's clock is set, they move along (clock.ts). What is over stays as it was written.
import type { Tx } from './database.ts';
import { moveAlive } from './state-history.ts';

/** Moves them by so many milliseconds. A table with a new time of this kind belongs here. */
export async function moveOpenTimes(tx: Tx, by: number): Promise<void> {
  await tx.run('UPDATE sessions SET rotated = rotated + ?1, created = created + ?1, last_used = last_used + ?1', by);
  await tx.run('UPDATE signin_codes SET expires = expires + ?', by);
  await tx.run('UPDATE orders SET created = created + ?', by);
  await moveAlive(tx, by);
  await tx.run('UPDATE tunnels SET connected = connected + ?1, expires = expires + ?1', by);
  // A parent's end is that of its last child: those that ended belong to the same span.
  await tx.run(
    `UPDATE jobs SET created = created + ?1, started = started + ?1, ended = ended + ?1
     WHERE status IN ('Waiting', 'Running')
       OR parent_seq IN (SELECT seq FROM jobs WHERE parent_seq IS NULL AND device_seq IS NULL AND status IN ('Waiting', 'Running'))`,
    by,
  );
  await tx.run(
    "UPDATE output_order SET at = at + ? WHERE job_seq IN (SELECT seq FROM jobs WHERE status = 'Running')",
    by,
  );
  await tx.run(
    'UPDATE alert_rules SET sent = sent + ?1, silent_until = silent_until + ?1 WHERE sent IS NOT NULL OR silent_until IS NOT NULL',
    by,
  );
  await tx.run('UPDATE alert_firing SET since = since + ?', by);
  await tx.run('UPDATE alert_events SET at = at + ?1, since = since + ?1', by);
  await tx.run("UPDATE alert_deliveries SET due = due + ?1, until = until + ?1 WHERE state = 'Waiting'", by);
}
