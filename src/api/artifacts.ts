// Artifacts, as queries and mutations.
import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import type { Artifact, ArtifactForm } from '#/contract/artifacts.ts';
import { ApiError } from '#/api/api-error.ts';
import { call, upload } from '#/api/call.ts';
import type { UploadProgress } from '#/api/call.ts';

const stored = { invalidates: [['artifacts'], ['account']] };

export interface ArtifactUpload {
  file: File;
  form: ArtifactForm;
  signal: AbortSignal;
  onProgress: (progress: UploadProgress) => void;
}

/** "app.tar.gz 1.2.0" */
export const artifactText = ({ Name, Version }: Artifact): string => [Name, Version].filter(Boolean).join(' ');

export const artifactQueries = {
  list: () =>
    queryOptions({ queryKey: ['artifacts'], queryFn: ({ signal }) => call(artifactEndpoints.list, {}, { signal }) }),
};

/** No answer came, because of the network or of who cancelled, so that the service may have stored the file or not. */
const isUnsure = (error: unknown) =>
  (error instanceof ApiError && error.kind === 'network') || (error instanceof Error && error.name === 'AbortError');

/** Uploads. Where every byte was sent but no answer came, the list tells whether it arrived all the same. */
async function send({ file, form, signal, onProgress }: ArtifactUpload, client: QueryClient): Promise<Artifact> {
  const known = client.getQueryData(artifactQueries.list().queryKey);
  let all = false;
  const watch: ArtifactUpload['onProgress'] = (progress) => {
    all = progress.sent >= progress.total;
    onProgress(progress);
  };
  try {
    return await upload(artifactEndpoints.upload, { file, form }, { signal, onProgress: watch });
  } catch (error) {
    if (!all || !known || !isUnsure(error)) throw error;
    const before = new Set(known.map(({ ArtifactId }) => ArtifactId));
    const now = await call(artifactEndpoints.list, {}).catch((): Artifact[] => []);
    const isIt = ({ ArtifactId, Name, Version }: Artifact) =>
      !before.has(ArtifactId) && Name === file.name && Version === form.version;
    const arrived = now.find(isIt);
    if (!arrived) throw error;
    return arrived;
  }
}

export const artifactMutations = {
  upload: () =>
    mutationOptions({
      mutationFn: (planned: ArtifactUpload, { client }) => send(planned, client),
      // The file is held for as long as the upload takes, no longer.
      gcTime: 0,
      meta: stored,
    }),
  remove: (id: string) =>
    mutationOptions({
      mutationFn: () => call(artifactEndpoints.remove, { params: { artifact_id: id } }),
      meta: { invalidates: [['artifacts'], ['account'], ['jobs']] },
    }),
};
