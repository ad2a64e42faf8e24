// Writes one row of a list shared by the account, but only if nobody else has changed the row since it was shown.
import { hasStatus, type ApiError } from '#/api/api-error.ts';

interface SharedRow {
  ChangedBy: string;
  ChangedTime: string;
}

interface SharedWrite<Row> {
  /** The list, with the ETag that the service compares. */
  read: () => Promise<{ data: Row[]; etag: string | null }>;
  find: (rows: Row[]) => Row | undefined;
  /** The row as it was shown; undefined if there was none. */
  before: Row | undefined;
  send: (headers: Record<string, string>) => Promise<void>;
  /** The error to throw; `now` is the row as somebody else left it. */
  refused: (now: Row | undefined) => ApiError;
}

/** Retries, because other rows of the list may be written at the same time. */
const MAX_TRIES = 3;

export async function writeIfUnchanged<Row extends SharedRow>(write: SharedWrite<Row>): Promise<void> {
  const { read, find, before, send, refused } = write;
  for (let tries = 1; ; tries++) {
    const { data, etag } = await read();
    const now = find(data);
    if (now?.ChangedTime !== before?.ChangedTime || now?.ChangedBy !== before?.ChangedBy) throw refused(now);
    try {
      return await send(etag ? { 'if-match': etag } : {});
    } catch (error) {
      if (!hasStatus(error, 412) || tries === MAX_TRIES) throw error;
    }
  }
}
