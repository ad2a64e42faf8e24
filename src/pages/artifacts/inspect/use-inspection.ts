// Inspects the chosen file as the chosen type, again when either changes.
import { useEffect, useState } from 'react';
import { inspectInWorker } from './ask-archive-worker.ts';
import type { Finding } from './finding.ts';
import type { ArtifactType } from './guess.ts';
import type { ChosenFile, Inspection } from './inspect-file.ts';
import { useArtifactLimit } from './use-artifact-limit.ts';

async function inspection(file: ChosenFile, limit: number, signal: AbortSignal): Promise<Inspection> {
  try {
    return await inspectInWorker({ file, limit }, signal);
  } catch (error) {
    signal.throwIfAborted();
    // A fault of ours or of the browser's must not block the upload: the service checks again.
    const finding: Finding = {
      level: 'warning',
      text: `The file could not be checked here: ${error instanceof Error ? error.message : String(error)}`,
      fix: 'The service checks it when it arrives. Reload the page to try again.',
    };
    return { findings: [finding], sha256: undefined };
  }
}

/** Undefined while the file is being checked. */
export function useInspection(file: ChosenFile, type: ArtifactType): Inspection | undefined {
  const limit = useArtifactLimit();
  const [done, setDone] = useState<{ file: ChosenFile; type: ArtifactType; limit: number; inspection: Inspection }>();
  useEffect(() => {
    const abort = new AbortController();
    inspection({ ...file, type }, limit, abort.signal).then(
      (found) => setDone({ file, type, limit, inspection: found }),
      () => undefined,
    );
    return () => abort.abort();
  }, [file, type, limit]);
  return done?.file === file && done.type === type && done.limit === limit ? done.inspection : undefined;
}
