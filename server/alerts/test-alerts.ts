// A fleet in a database with rules of alerts, for tests: time passes when the test says so.
import type { AlertEvent, RuleDraft } from '#/contract/alerts.ts';
import type { Database } from '../store/database.ts';
import type { DiskState } from '../store/disk-space.ts';
import { FIRST_ACCOUNT } from '../store/accounts.ts';
import { insertChannel, insertRule } from '../store/alert-settings.ts';
import { insertDevice } from '../store/devices.ts';
import { moveOpenTimes } from '../store/open-times.ts';
import { CAUSES, noteState } from '../store/state-history.ts';
import { openTestDatabase } from '../store/test-database.ts';
import { openAlertEvaluation } from './alert-evaluation.ts';

export const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 23, 10, 0);

interface SentMessage {
  id: string;
  event: string;
  rule: string;
  text: string;
  devices: string;
  job_id: string;
}

/** `around`: what the evaluation writes through, in place of the database itself. */
export async function openTestAlerts({ gatherMs = 0, around = (db: Database) => db } = {}) {
  const db = await openTestDatabase();
  let at = START;
  let disk: DiskState = 'Enough';
  await db.write((tx) =>
    tx.run(
      'INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (1, ?, 1000, 1000, 0)',
      'operator@localhost',
    ),
  );
  const channel = await db.write((tx) =>
    insertChannel(
      tx,
      FIRST_ACCOUNT,
      { Name: 'Ops', Kind: 'webhook', Url: 'https://example.com/hook', Format: 'json' },
      'secret',
      at,
    ),
  );
  const options = {
    db: around(db),
    now: () => at,
    disk: { state: () => disk, refusal: () => undefined },
    gatherMs,
  };
  let evaluate = openAlertEvaluation(options);
  return {
    db,
    channel,
    now: () => at,
    setDisk: (state: DiskState) => void (disk = state),
    /** Lets time pass, and applies the rules. */
    async pass(minutes = 0): Promise<void> {
      at += minutes * MINUTE;
      await evaluate();
    },
    /** The computer's clock is set by so many milliseconds, and the stored times move with it (clock.ts). */
    setClock: (by: number) =>
      db.write(async (tx) => {
        await moveOpenTimes(tx, by);
        at += by;
      }),
    /** Nothing of the old process is left. */
    restart: () => void (evaluate = openAlertEvaluation(options)),
    async device(name: string, { site = '', group = '' } = {}): Promise<number> {
      return db.write(async (tx) => {
        const { seq } = await insertDevice(tx, FIRST_ACCOUNT, { DeviceName: name, DeviceGroup: group }, at);
        await tx.run('UPDATE devices SET site = ?, last_seen = ? WHERE seq = ?', site, at, seq);
        await noteState(tx, seq, CAUSES.connected, at);
        return seq;
      });
    },
    leave: (...seqs: number[]) =>
      db.write(async (tx) => {
        for (const seq of seqs) await noteState(tx, seq, CAUSES.disconnected, at);
      }),
    back: (...seqs: number[]) =>
      db.write(async (tx) => {
        for (const seq of seqs) await noteState(tx, seq, CAUSES.connected, at);
      }),
    rule: (When: AlertEvent, more: Partial<RuleDraft> = {}) =>
      db.write((tx) =>
        insertRule(
          tx,
          FIRST_ACCOUNT,
          { Name: 'Rule', When, ForMinutes: 0, QuietMinutes: 0, Channels: [channel], ...more },
          at,
        ),
      ),
    /** All so far, oldest first. */
    messages: () => db.all<SentMessage>('SELECT * FROM alert_messages ORDER BY seq'),
    async texts(): Promise<string[]> {
      return (await db.all<SentMessage>('SELECT text FROM alert_messages ORDER BY seq')).map(({ text }) => text);
    },
    firing: () => db.get<{ firing: number }>('SELECT sum(firing) AS firing FROM alert_rules'),
    close: () => db.close(),
  };
}
export type TestAlerts = Awaited<ReturnType<typeof openTestAlerts>>;
