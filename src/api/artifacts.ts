// Artifacts, as queries and mutations.
import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import type { ArtifactForm } from '#/contract/artifacts.ts';
import { call, upload } from '#/api/call.ts';
import type { UploadProgress } from '#/api/call.ts';

const stored = { invalidates: [['artifacts'], ['account']] };

export interface ArtifactUpload {
  file: File;
  form: ArtifactForm;
  signal: AbortSignal;
  onProgress: (progress: UploadProgress) => void;
}

export const artifactQueries = {
  list: () =>
    queryOptions({ queryKey: ['artifacts'], queryFn: ({ signal }) => call(artifactEndpoints.list, {}, { signal }) }),
};

export const artifactMutations = {
  upload: () =>
    mutationOptions({
      mutationFn: ({ file, form, signal, onProgress }: ArtifactUpload) =>
        upload(artifactEndpoints.upload, { file, form }, { signal, onProgress }),
      meta: stored,
    }),
  remove: (id: string) =>
    mutationOptions({
      mutationFn: () => call(artifactEndpoints.remove, { params: { artifact_id: id } }),
      meta: { invalidates: [['artifacts'], ['account'], ['jobs']] },
    }),
};
