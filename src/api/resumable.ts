// Uploads a file by tus (https://tus.io/protocols/resumable-upload): in pieces, each sent again where a connection broke, and
// continued after a pause or on another page load. What it is begun with has a key that follows from the file and the form, so
// that the same file begins the same upload.
import { artifactEndpoints, type Artifact, type ArtifactForm } from '#/contract/artifacts.ts';
import { TUS_VERSION, uploadEndpoints } from '#/contract/uploads.ts';
import { ApiError, hasStatus, refusalError } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { newIdempotencyKey } from '#/api/idempotency.ts';
import { transfer, type Answered, type SendProgress } from '#/api/upload.ts';
import { waitFor } from '#/lib/pace.ts';
import { isUnanswered, meaningOf, retryDelay } from '#/lib/retry.ts';

/** Bytes of one request: what a broken connection can cost. Less from then on where a proxy refuses as much. */
let pieceBytes = 4 * 1024 * 1024;
/** An upload may have 10,000 pieces. */
const MIN_PIECE_BYTES = 256 * 1024;
/** Attempts in a row without progress: about four minutes. */
const MOST_IDLE = 24;

export interface ResumableUpload {
  file: File;
  form: ArtifactForm;
  /** The Idempotency-Key with which it is begun. */
  key: string;
  signal: AbortSignal;
  onProgress: (progress: SendProgress) => void;
  /** Called with what `endUpload` takes. */
  onBegun?: ((upload: string) => void) | undefined;
}

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const metadataOf = (fields: Record<string, string | undefined>): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${base64(new TextEncoder().encode(value))}`]))
    .join(',');

/** The checksum of a piece, on pages whose browser can compute it. */
async function checksumOf(piece: ArrayBuffer): Promise<Record<string, string>> {
  const { subtle }: { subtle?: SubtleCrypto } = crypto;
  if (!subtle) return {};
  return { 'upload-checksum': `sha256 ${base64(new Uint8Array(await subtle.digest('SHA-256', piece)))}` };
}

const STATUS = { gone: 404, elsewhere: 409, tooLarge: 413, changedOnTheWay: 460 };

/** The browser's own error of a file that was changed or removed meanwhile says nothing of it. */
const readPiece = (file: File, at: number): Promise<ArrayBuffer> =>
  file
    .slice(at, at + pieceBytes)
    .arrayBuffer()
    .catch(() => {
      throw new Error(`${file.name} cannot be read: it was changed or removed meanwhile. Choose it again.`);
    });

export async function uploadResumable({
  file,
  form,
  key,
  signal,
  onProgress,
  onBegun,
}: ResumableUpload): Promise<Artifact> {
  const { path } = uploadEndpoints.tus;
  const ask = async (
    request: { method: string; path: string; headers?: Record<string, string>; body?: ArrayBuffer },
    progress: (sent: number) => void = () => {},
  ): Promise<Answered> => {
    const headers = { 'tus-resumable': TUS_VERSION, ...request.headers };
    const answered = await transfer({ ...request, headers }, { signal, onProgress: ({ sent }) => progress(sent) });
    const { status, responseText, header } = answered;
    if (status < 200 || status > 299) throw refusalError(status, responseText, header('retry-after'));
    return answered;
  };
  const begin = async (withKey: string): Promise<string> => {
    const headers = {
      'upload-length': String(file.size),
      'upload-metadata': metadataOf({ ...form, filename: file.name }),
      'idempotency-key': withKey,
    };
    const at = (await ask({ method: 'POST', path, headers })).header('location') ?? '';
    return `${path}/${encodeURIComponent(at.split('/').at(-1) ?? '')}`;
  };
  /** Sends what the service does not have yet; the id of the artifact once it has all. */
  const goOn = async (upload: string, noteProgress: () => void): Promise<string> => {
    const asked = await ask({ method: 'HEAD', path: upload });
    let made = asked.header('muster-artifact');
    let offset = Number(asked.header('upload-offset'));
    onProgress({ sent: offset, total: file.size });
    while (made === null) {
      const body = await readPiece(file, offset);
      const headers = {
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(offset),
        ...(await checksumOf(body)),
      };
      const from = offset;
      const answered = await ask({ method: 'PATCH', path: upload, headers, body }, (sent) =>
        onProgress({ sent: from + Math.min(sent, body.byteLength), total: file.size }),
      ).catch((error: unknown) => {
        if (!hasStatus(error, STATUS.tooLarge) || body.byteLength <= MIN_PIECE_BYTES) throw error;
        pieceBytes = Math.max(MIN_PIECE_BYTES, Math.ceil(Math.min(pieceBytes, body.byteLength) / 2));
      });
      if (!answered) continue;
      made = answered.header('muster-artifact');
      offset = Number(answered.header('upload-offset'));
      noteProgress();
    }
    return made;
  };

  let upload: string | undefined;
  let currentKey = key;
  let idle = 0;
  for (;;)
    try {
      if (upload === undefined) {
        upload = await begin(currentKey);
        onBegun?.(upload);
      }
      const id = await goOn(upload, () => (idle = 0));
      return await call(artifactEndpoints.get, { params: { artifact_id: id } }, { signal });
    } catch (error) {
      if (signal.aborted || !(error instanceof ApiError)) throw error;
      const { status } = error;
      // It has ended, or its artifact was deleted: this one begins from its beginning. So does one that somebody else began
      // with the same file.
      const isAnother = upload === undefined ? status === STATUS.elsewhere : status === STATUS.gone;
      if (isAnother && currentKey === key) {
        currentKey = newIdempotencyKey();
        upload = undefined;
        continue;
      }
      const isOutOfStep = upload !== undefined && [STATUS.elsewhere, STATUS.changedOnTheWay].includes(status);
      const mayGoOn = isOutOfStep || isUnanswered(error) || meaningOf(error) === 'later';
      if (!mayGoOn || ++idle > MOST_IDLE) throw error;
      await waitFor(retryDelay(Math.min(idle, 5), error), signal);
      signal.throwIfAborted();
    }
}

/** Tells the service that nobody continues an upload. If that fails, it ends by itself. */
export async function endUpload(path: string): Promise<void> {
  await transfer({ method: 'DELETE', path, headers: { 'tus-resumable': TUS_VERSION } }, {}).catch(() => undefined);
}
