// Artifacts, as queries and mutations.
import { mutationOptions, type QueryClient } from '@tanstack/react-query';
import { artifactEndpoints, type Artifact, type ArtifactForm } from '#/contract/artifacts.ts';
import { ApiError } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { upload, type SendProgress } from '#/api/upload.ts';
import { query } from '#/api/query.ts';
import { removeOne } from '#/api/remove-one.ts';
import { requestOf } from '#/api/request-of.ts';
import { checkWrite } from '#/lib/request-queue.ts';
import { meaningOf } from '#/lib/retry.ts';

export interface ArtifactUpload {
  file: File;
  form: ArtifactForm;
  /** Of the file, if the browser could compute it. */
  sha256: string | undefined;
  /** Whether an earlier attempt got no answer: the list is checked before anything is sent again. */
  lookFirst: boolean;
  signal: AbortSignal;
  onProgress: (progress: SendProgress) => void;
  /** Called when no answer came and the list is checked. */
  onLook: () => void;
}

/** "app.tar.gz 1.2.0" */
export const artifactText = ({ Name, Version }: Artifact): string => [Name, Version].filter(Boolean).join(' ');

export const artifactQueries = { list: () => query(artifactEndpoints.list, {}) };

const isCancelled = (error: unknown) => error instanceof Error && error.name === 'AbortError';

/** The artifacts that existed before the first attempt, by file: none of them comes from an attempt. */
const before = new WeakMap<File, ReadonlySet<string>>();

/**
 * Uploads. If every byte was sent but no answer came, because of the network or a cancellation, the list shows whether
 * the service stored the file.
 */
async function send(planned: ArtifactUpload, client: QueryClient): Promise<Artifact> {
  const { file, form, sha256, lookFirst, signal, onProgress, onLook } = planned;
  const list = () => call(artifactEndpoints.list, {});
  const known =
    before.get(file) ??
    new Set((client.getQueryData(artifactQueries.list().queryKey) ?? (await list())).map((each) => each.ArtifactId));
  before.set(file, known);
  const isIt = ({ ArtifactId, Name, Version, Sha256 }: Artifact) =>
    !known.has(ArtifactId) &&
    Name === file.name &&
    Version === form.version &&
    (!sha256 || !Sha256 || Sha256.toLowerCase() === sha256);
  const look = async () => (await list()).find(isIt);
  if (lookFirst) {
    onLook();
    const arrived = await look();
    if (arrived) return arrived;
  }
  let all = false;
  try {
    const watch: typeof onProgress = (progress) => {
      all = progress.sent >= progress.total;
      onProgress(progress);
    };
    return await upload(artifactEndpoints.upload, { file, form }, { signal, onProgress: watch });
  } catch (error) {
    // An incomplete upload cannot have been stored; an answer of any kind shows whether it was.
    const answered = error instanceof ApiError && error.kind !== 'network';
    if (!(all || answered) || !(meaningOf(error) === 'unknown' || isCancelled(error))) throw error;
    onLook();
    let arrived: Artifact | undefined;
    const { done } = await checkWrite(error, async () => (arrived = await look()) !== undefined);
    if (arrived) return arrived;
    if (done === false) throw error;
    throw new ApiError('network', 'Unknown whether the file arrived', {
      detail: 'The service did not answer, and the artifact list could not be read. Retry checks the list first.',
    });
  }
}

const isThere = async (id: string) =>
  (await call(artifactEndpoints.list, {})).some(({ ArtifactId }) => ArtifactId === id);

const remove = (id: string) =>
  removeOne(
    'artifacts',
    () => call(artifactEndpoints.remove, { params: { artifact_id: id } }),
    () => isThere(id),
  );

const removed = { operation: artifactEndpoints.remove };

/** Deletes one of many. */
export const artifactRemoval = {
  request: ({ ArtifactId }: Pick<Artifact, 'ArtifactId'>) =>
    requestOf(artifactEndpoints.remove, { params: { artifact_id: ArtifactId } }),
  send: ({ ArtifactId }: Pick<Artifact, 'ArtifactId'>) => remove(ArtifactId),
  meta: removed,
};

export const artifactMutations = {
  upload: () =>
    mutationOptions({
      mutationFn: (planned: ArtifactUpload, { client }) => send(planned, client),
      // The file is released when the upload ends.
      gcTime: 0,
      meta: { operation: artifactEndpoints.upload },
    }),
  remove: (id: string) => ({
    ...mutationOptions({ mutationFn: () => remove(id), meta: removed }),
    request: artifactRemoval.request({ ArtifactId: id }),
  }),
};
