// The page's queue of uploads: what is in it now, and the orders a person gives it.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useMutation } from '@tanstack/react-query';
import { artifactMutations } from '#/api/artifacts.ts';
import { UploadQueue } from './upload-queue.ts';
import type { QueuedFile } from './upload-queue.ts';

export function useUploadQueue(): [queue: UploadQueue, items: readonly QueuedFile[]] {
  const { mutateAsync } = useMutation(artifactMutations.upload());
  const [queue] = useState(() => new UploadQueue(mutateAsync));
  // A user who leaves the page has agreed to that: no upload continues unseen.
  useEffect(() => () => queue.close(), [queue]);
  return [queue, useSyncExternalStore(queue.subscribe, queue.snapshot)];
}
