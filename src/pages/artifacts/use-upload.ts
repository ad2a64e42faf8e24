// One upload as the form sees it: how far it is, cancelled, failed, sent again.
import { useEffect, useRef, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { Artifact, ArtifactForm } from '#/contract/artifacts.ts';
import { artifactMutations } from '#/api/artifacts.ts';
import type { UploadProgress } from '#/api/call.ts';
import type { ChosenFile } from './inspect-file.ts';
import { advance, startTransfer } from './transfer.ts';
import type { Transfer } from './transfer.ts';

export interface Upload {
  /** How far it is; undefined while nothing is being sent. */
  transfer: Transfer | undefined;
  cancelled: boolean;
  error: Error | null;
  send: (file: ChosenFile, form: ArtifactForm) => void;
  cancel: () => void;
  /** Forgets how the last one ended. */
  forget: () => void;
}

const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError';

export function useUpload(onStored: (artifact: Artifact) => void): Upload {
  const [transfer, setTransfer] = useState<Transfer>();
  const controller = useRef<AbortController>(undefined);
  const mutation = useMutation(artifactMutations.upload());

  // Whoever leaves the page has agreed to that: nothing goes on behind their back.
  useEffect(() => () => controller.current?.abort(), []);

  const send = (chosen: ChosenFile, form: ArtifactForm) => {
    const file = new File([chosen.bytes], chosen.name);
    const giveUp = new AbortController();
    controller.current = giveUp;
    setTransfer(startTransfer(file.size, performance.now()));
    const onProgress = (progress: UploadProgress) =>
      setTransfer((before) => before && advance(before, progress, performance.now()));
    mutation.mutate(
      { file, form, signal: giveUp.signal, onProgress },
      { onSuccess: onStored, onSettled: () => setTransfer(undefined) },
    );
  };
  const { error } = mutation;
  return {
    transfer,
    cancelled: isAbort(error),
    error: isAbort(error) ? null : error,
    send,
    cancel: () => controller.current?.abort(),
    forget: mutation.reset,
  };
}
