// Artifacts, as queries and mutations.
import { mutationOptions } from '@tanstack/react-query';
import type { Capability } from '#/contract/account.ts';
import { artifactEndpoints, type Artifact, type ArtifactForm } from '#/contract/artifacts.ts';
import { ApiError, hasStatus } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { isOffered } from '#/api/capabilities.ts';
import { uploadResumable } from '#/api/resumable.ts';
import { upload, type SendProgress } from '#/api/upload.ts';
import { query } from '#/api/query.ts';
import { requestOf } from '#/api/request-of.ts';
import { skipMissing } from '#/api/skipped.ts';
import { unconfirmed } from '#/api/unconfirmed.ts';

export interface ArtifactUpload {
  file: File;
  form: ArtifactForm;
  /** The Idempotency-Key, the same for every attempt of one upload. */
  key: string;
  signal: AbortSignal;
  onProgress: (progress: SendProgress) => void;
  /** Of the file, if it is known. */
  sha256?: string | undefined;
  /** It has been begun as one that can be continued; called with what ends it. */
  onBegun?: (upload: string) => void;
}

/** "app.tar.gz 1.2.0" */
export const artifactText = ({ Name, Version }: Artifact): string => [Name, Version].filter(Boolean).join(' ');

export const artifactQueries = { list: () => query(artifactEndpoints.list, {}) };

const isCancelled = (error: unknown) => error instanceof Error && error.name === 'AbortError';

/** Smaller files are sent as one form. Less from then on where a proxy refused one of them. */
let resumableFrom = 4 * 1024 * 1024;
/** Whether an upload of this size can be paused and continued. */
export const isResumable = (size: number, capabilities: readonly Capability[]): boolean =>
  size >= resumableFrom && capabilities.includes('uploads');

async function send(planned: ArtifactUpload): Promise<Artifact> {
  const isInPieces = planned.file.size >= resumableFrom && (await isOffered('uploads'));
  const inPieces = () => uploadResumable({ ...planned, key: continuingKey(planned) });
  if (isInPieces) return inPieces();
  try {
    return await sendForm(planned);
  } catch (error) {
    // A proxy on the way may let pieces through that are smaller.
    if (!hasStatus(error, 413) || !(await isOffered('uploads'))) throw error;
    resumableFrom = Math.min(resumableFrom, planned.file.size);
    return inPieces();
  }
}

/** The same for the same file and version, so that choosing it again goes on where it stopped. */
const continuingKey = ({ sha256, form, key }: ArtifactUpload): string =>
  sha256 === undefined ? key : `${sha256}.${encodeURIComponent(form.version.toWellFormed()).slice(0, 150)}`;

/** Uploads a file. If the answer is lost or the upload cancelled once the file is sent, it may or may not be stored. */
async function sendForm({ file, form, key, signal, onProgress }: ArtifactUpload): Promise<Artifact> {
  let isSent = false;
  const watch: typeof onProgress = (progress) => {
    isSent = progress.sent >= progress.total;
    onProgress(progress);
  };
  try {
    return await upload(artifactEndpoints.upload, { file, form }, { key, signal, onProgress: watch });
  } catch (error) {
    const isAnswered = error instanceof ApiError && error.kind !== 'network';
    if (!isSent && !isAnswered) throw error;
    const cause = isCancelled(error) ? new ApiError('network', 'Cancelled after the whole file was sent') : error;
    throw cause instanceof Error ? unconfirmed('artifact')(cause) : cause;
  }
}

const remove = (id: string) => call(artifactEndpoints.remove, { params: { artifact_id: id } }).catch(skipMissing);

const removed = { operation: artifactEndpoints.remove };

/** Deletes one artifact of a selection. */
export const artifactRemoval = {
  request: ({ ArtifactId }: Pick<Artifact, 'ArtifactId'>) =>
    requestOf(artifactEndpoints.remove, { params: { artifact_id: ArtifactId } }),
  send: ({ ArtifactId }: Pick<Artifact, 'ArtifactId'>) => remove(ArtifactId),
  meta: removed,
};

export const artifactMutations = {
  upload: () =>
    mutationOptions({
      mutationFn: send,
      // Releases the file as soon as the upload ends.
      gcTime: 0,
      meta: { operation: artifactEndpoints.upload },
    }),
  remove: (id: string) => ({
    ...mutationOptions({ mutationFn: () => remove(id), meta: removed }),
    request: artifactRemoval.request({ ArtifactId: id }),
  }),
};
