// Records of resumable uploads. Their bytes are pieces (artifact-files.ts) that these records put in order; a piece without a
// record does not count.
import { Conflict, LimitReached, notFound } from './errors.ts';
import type { Actor } from './caller.ts';
import type { Reader, Tx } from './database.ts';

/** How long an upload waits for more bytes, and is remembered once it is stored. */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** Unfinished uploads of an account. */
const MOST_UPLOADS = 200;
const MOST_PIECES = 10_000;

export interface StoredUpload {
  seq: number;
  id: string;
  accountId: number;
  /** As it was sent. */
  metadata: string;
  length: number;
  received: number;
  pieces: number;
  artifactId: string | null;
}

const COLUMNS = 'seq, id, account_id AS "accountId", metadata, length, received, pieces, artifact_id AS "artifactId"';

type Maker = Pick<Actor, 'account' | 'actor'>;

/** The caller's own upload, or a 404: nobody else sees it. */
export async function uploadById(db: Reader, { account, actor }: Maker, id: string): Promise<StoredUpload> {
  const found = await db.get<StoredUpload>(
    `SELECT ${COLUMNS} FROM uploads WHERE id = ? AND account_id = ? AND owner = ? AND expires > 0`,
    id,
    account.id,
    actor,
  );
  if (!found) throw notFound('upload', id);
  return found;
}

/** Whether there is something to go on with: it has not ended, and its artifact, if it has become one, was not deleted. */
export const isKept = async (db: Reader, id: string): Promise<boolean> =>
  (await db.get(
    `SELECT 1 FROM uploads WHERE id = ? AND expires > 0
       AND (artifact_id IS NULL OR EXISTS (SELECT 1 FROM artifacts WHERE artifacts.id = uploads.artifact_id))`,
    id,
  )) !== undefined;

export async function insertUpload(
  tx: Tx,
  { account, actor }: Maker,
  { id, metadata, length }: Pick<StoredUpload, 'id' | 'metadata' | 'length'>,
  now: number,
): Promise<void> {
  const open = await tx.get<{ count: number }>(
    'SELECT count(*) AS count FROM uploads WHERE account_id = ? AND artifact_id IS NULL AND expires > 0',
    account.id,
  );
  if ((open?.count ?? 0) >= MOST_UPLOADS)
    throw new LimitReached(
      `${MOST_UPLOADS} uploads are unfinished`,
      'Finish or delete some of them. They end by themselves a day after their last bytes.',
    );
  await tx.run(
    'INSERT INTO uploads (id, account_id, owner, metadata, length, expires) VALUES (?, ?, ?, ?, ?, ?)',
    id,
    account.id,
    actor,
    metadata,
    length,
    now + KEPT_MS,
  );
}

/** Bytes that were stored under this name. */
export interface Piece {
  name: string;
  sizeBytes: number;
}

/** Adds pieces to those before. Refused if others have been added meanwhile, by a request to another node. */
export async function addPieces(
  tx: Tx,
  upload: StoredUpload,
  pieces: readonly Piece[],
  now: number,
): Promise<StoredUpload> {
  const { seq, received } = upload;
  const count = upload.pieces + pieces.length;
  if (count > MOST_PIECES)
    throw new Conflict(
      `The upload has ${MOST_PIECES} pieces`,
      'Begin it again, and send more bytes with each request.',
    );
  let end = received;
  const starts = pieces.map(({ name, sizeBytes }) => {
    const start = end;
    end += sizeBytes;
    return { start, name };
  });
  const { changes } = await tx.run(
    'UPDATE uploads SET received = ?, pieces = ?, expires = ? WHERE seq = ? AND received = ? AND expires > 0',
    end,
    count,
    now + KEPT_MS,
    seq,
    received,
  );
  if (changes === 0)
    throw new Conflict('The upload has changed', 'Another request added to it, or ended it: ask for its offset again.');
  for (const { start, name } of starts)
    await tx.run('INSERT INTO upload_pieces (upload_seq, start, name) VALUES (?, ?, ?)', seq, start, name);
  return { ...upload, received: end, pieces: count };
}

/** The names of its pieces in order. */
export const piecesOf = async (db: Reader, seq: number): Promise<string[]> =>
  (await db.all<{ name: string }>('SELECT name FROM upload_pieces WHERE upload_seq = ? ORDER BY start', seq)).map(
    ({ name }) => name,
  );

/**
 * Notes that the upload has become this artifact.
 * @returns the artifact that it had become before, if it had
 */
export async function noteStored(
  tx: Tx,
  { seq, id }: StoredUpload,
  artifactId: string,
  now: number,
): Promise<string | undefined> {
  const { changes } = await tx.run(
    'UPDATE uploads SET artifact_id = ?, expires = ? WHERE seq = ? AND artifact_id IS NULL AND expires > 0',
    artifactId,
    now + KEPT_MS,
    seq,
  );
  if (changes > 0) return undefined;
  const before = await tx.get<{ artifact_id: string | null }>(
    'SELECT artifact_id FROM uploads WHERE seq = ? AND expires > 0',
    seq,
  );
  if (before?.artifact_id == null) throw notFound('upload', id);
  return before.artifact_id;
}

/** From now on nobody sees it, and it takes no space of the account. */
export const endUpload = (tx: Tx, seq: number) => tx.run('UPDATE uploads SET expires = 0 WHERE seq = ?', seq);

/** Uploads that have ended, or whose time is over. */
export const endedUploads = (db: Reader, now: number): Promise<{ seq: number; id: string }[]> =>
  db.all('SELECT seq, id FROM uploads WHERE expires <= ? ORDER BY expires LIMIT 50', now);

/** The uploads of an account that is being removed. */
export const uploadsOf = (db: Reader, accountId: number): Promise<{ seq: number; id: string }[]> =>
  db.all('SELECT seq, id FROM uploads WHERE account_id = ?', accountId);

export const deleteUpload = (tx: Tx, seq: number) => tx.run('DELETE FROM uploads WHERE seq = ?', seq);
