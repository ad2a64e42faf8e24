// Artifact records; artifact-files.ts has their bytes.
import { LimitReached, notFound } from './errors.ts';
import type { Reader, Tx } from './database.ts';

/** One artifact as stored; handlers convert it to the contract's object. */
export interface StoredArtifact {
  id: string;
  accountId: number;
  name: string;
  version: string;
  /** The size that the client declared: shown, but never relied on. */
  declaredSize: number;
  sizeBytes: number;
  sha256: string;
  isScript: boolean;
  destination: string;
  runCommand: string;
  folder: string;
  created: number;
  /** What an archive takes once it is unpacked; 0: unknown. */
  unpackedBytes: number;
}

type Row = Omit<StoredArtifact, 'isScript'> & { isScript: number };

const COLUMNS = `id, account_id AS "accountId", name, version, size_given AS "declaredSize", size_bytes AS "sizeBytes", sha256,
  is_script AS "isScript", destination, run_command AS "runCommand", folder, created,
  unpacked_bytes AS "unpackedBytes"`;

const fromRow = (row: Row): StoredArtifact => ({ ...row, isScript: row.isScript === 1 });

/** Oldest first. */
export const listArtifacts = async (db: Reader, accountId: number): Promise<StoredArtifact[]> =>
  (await db.all<Row>(`SELECT ${COLUMNS} FROM artifacts WHERE account_id = ? ORDER BY seq`, accountId)).map(fromRow);

/** The artifacts of all accounts, to compare with their files. */
export const allArtifacts = async (db: Reader): Promise<StoredArtifact[]> =>
  (await db.all<Row>(`SELECT ${COLUMNS} FROM artifacts ORDER BY seq`)).map(fromRow);

/** Whether an artifact with this id existed and was deleted. */
export const wasArtifactDeleted = async (db: Reader, id: string): Promise<boolean> =>
  (await db.get("SELECT 1 FROM audit WHERE action = 'artifact.remove' AND target = ? LIMIT 1", id)) !== undefined;

/** The artifact with this id in any account; the caller must have authorised the access. */
export async function findArtifact(db: Reader, id: string): Promise<StoredArtifact | undefined> {
  const row = await db.get<Row>(`SELECT ${COLUMNS} FROM artifacts WHERE id = ?`, id);
  return row && fromRow(row);
}

/** The account's artifact with this id, or a 404. */
export async function artifactById(db: Reader, accountId: number, id: string): Promise<StoredArtifact> {
  const found = await findArtifact(db, id);
  if (found?.accountId !== accountId) throw notFound('artifact', id);
  return found;
}

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** The bytes that an account of a statement uses for artifacts, with what unfinished uploads will need. */
export const USED_BYTES = `((SELECT coalesce(sum(size_bytes), 0) FROM artifacts WHERE account_id = accounts.id)
    + (SELECT coalesce(sum(length), 0) FROM uploads WHERE account_id = accounts.id AND artifact_id IS NULL AND expires > 0))`;

/** Refuses an upload that exceeds the account's storage, and suggests what to delete. */
export async function requireQuota(db: Reader, accountId: number, sizeBytes: number): Promise<void> {
  const row = await db.get<{ used: number; allowed: number }>(
    `SELECT artifact_limit AS allowed, ${USED_BYTES} AS used FROM accounts WHERE id = ?`,
    accountId,
  );
  const { used = 0, allowed = 0 } = row ?? {};
  if (used + sizeBytes <= allowed) return;
  const largest = await db.get<{ name: string; version: string; size_bytes: number }>(
    'SELECT name, version, size_bytes FROM artifacts WHERE account_id = ? ORDER BY size_bytes DESC, seq LIMIT 1',
    accountId,
  );
  const hint = largest
    ? ` The largest is ${largest.name} (version ${largest.version}) with ${megabytes(largest.size_bytes)}.`
    : '';
  throw new LimitReached(
    'The artifact storage is full',
    `${megabytes(used)} of ${megabytes(allowed)} are used. Delete artifacts that are no longer needed, then upload again.${hint}`,
  );
}

/** Adds an artifact whose file is stored. Checks the quota again, because uploads run concurrently. */
export async function insertArtifact(tx: Tx, artifact: StoredArtifact): Promise<void> {
  await requireQuota(tx, artifact.accountId, artifact.sizeBytes);
  await tx.run(
    `INSERT INTO artifacts (id, account_id, name, version, size_given, size_bytes, sha256, is_script, destination,
       run_command, folder, created, unpacked_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    artifact.id,
    artifact.accountId,
    artifact.name,
    artifact.version,
    artifact.declaredSize,
    artifact.sizeBytes,
    artifact.sha256,
    artifact.isScript ? 1 : 0,
    artifact.destination,
    artifact.runCommand,
    artifact.folder,
    artifact.created,
    artifact.unpackedBytes,
  );
}

export async function deleteArtifact(tx: Tx, accountId: number, id: string): Promise<void> {
  const { changes } = await tx.run('DELETE FROM artifacts WHERE id = ? AND account_id = ?', id, accountId);
  if (changes === 0) throw notFound('artifact', id);
}
