// Deletes what is in an account that the operator removed, a little at a time. The account's row goes last, so that work that was
// interrupted goes on at the next run, on whichever node leads.
import type { DeviceActions } from './actions/device-actions.ts';
import type { Dispatch } from './jobs/dispatch.ts';
import type { ArtifactFiles } from './store/artifact-files.ts';
import { deleteArtifact } from './store/artifacts.ts';
import type { Audit } from './store/audit.ts';
import type { Actor } from './store/caller.ts';
import type { Database } from './store/database.ts';
import type { DeviceRow } from './store/devices.ts';
import { logFault } from './store/system-fault.ts';
import { removeUpload } from './upload-removal.ts';
import { uploadsOf } from './store/uploads.ts';

interface RemovalOptions {
  db: Database;
  audit: Audit;
  actions: Pick<DeviceActions, 'remove'>;
  dispatch: Pick<Dispatch, 'artifactRemoved'>;
  files: Pick<ArtifactFiles, 'remove' | 'pieces'>;
}

/** Devices, jobs or rows that one transaction deletes. */
const AT_ONCE = 50;

/** The rows of an account that the deletion of devices and artifacts leaves, those that refer to others first. */
const TABLES: readonly [table: string, key: string][] = [
  ['rollouts', 'seq'],
  ['standing_orders', 'seq'],
  ['bulk', 'seq'],
  ['jobs', 'seq'],
  ['alert_deliveries', 'seq'],
  ['alert_messages', 'seq'],
  ['alert_rules', 'seq'],
  ['alert_channels', 'seq'],
  ['workflows', 'seq'],
  ['tags', 'id'],
  ['sessions', 'id'],
  ['tokens', 'id'],
  ['people', 'seq'],
  ['enrolments', 'seq'],
  ['enrolment_keys', 'seq'],
  ['fact_names', 'seq'],
];
/** Small tables, and keys of several columns. */
const AT_LAST = [
  'job_states',
  'outcome_rules',
  'device_versions',
  'views',
  'usage_days',
  'idempotency_keys',
  'signin_codes',
];

export function openAccountRemoval({ db, audit, actions, dispatch, files }: RemovalOptions): () => Promise<void> {
  const removeDevices = async (operator: Actor, accountId: number): Promise<boolean> =>
    db.write(async (tx) => {
      const devices = await tx.all<DeviceRow>(
        `SELECT seq, id, account_id, name FROM devices WHERE account_id = ? ORDER BY seq LIMIT ${AT_ONCE}`,
        accountId,
      );
      for (const device of devices) await actions.remove(tx, operator, device);
      return devices.length > 0;
    });

  const removeArtifacts = async (operator: Actor, accountId: number): Promise<void> => {
    const artifacts = await db.all<{ id: string }>('SELECT id FROM artifacts WHERE account_id = ?', accountId);
    for (const { id } of artifacts) {
      await db.write(async (tx) => {
        await deleteArtifact(tx, accountId, id);
        await dispatch.artifactRemoved(tx, id);
        // The next start finds by this entry a file that stayed behind.
        await audit.record(tx, operator, 'artifact.remove', id);
      });
      await files.remove(id).catch((cause: unknown) => logFault(`artifact ${id}: its file stays behind`, cause));
    }
  };

  const removeRows = async (accountId: number): Promise<void> => {
    for (const [table, key] of TABLES) {
      const only = table === 'jobs' ? ' AND parent_seq IS NULL' : '';
      const rows = `SELECT ${key} FROM ${table} WHERE account_id = ?${only} LIMIT ${AT_ONCE}`;
      const remove = () => db.write((tx) => tx.run(`DELETE FROM ${table} WHERE ${key} IN (${rows})`, accountId));
      while ((await remove()).changes > 0);
    }
    await db.write(async (tx) => {
      for (const table of AT_LAST) await tx.run(`DELETE FROM ${table} WHERE account_id = ?`, accountId);
      await tx.run('DELETE FROM accounts WHERE id = ?', accountId);
    });
  };

  const removeUploads = async (accountId: number): Promise<void> => {
    for (const upload of await uploadsOf(db, accountId)) await removeUpload({ db, files }, upload);
  };

  return async () => {
    const accounts = await db.all<{ id: number; email: string }>(
      'SELECT id, email FROM accounts WHERE removed IS NOT NULL',
    );
    for (const account of accounts) {
      const operator = { account, actor: 'operator', address: 'local' };
      while (await removeDevices(operator, account.id));
      await removeArtifacts(operator, account.id);
      await removeUploads(account.id);
      await removeRows(account.id);
    }
  };
}
