// The findings about the chosen file as the chosen type; worked out anew when either changes, given up when it is gone.
import { useEffect, useState } from 'react';
import type { Finding } from './finding.ts';
import type { ArtifactType } from './guess.ts';
import { inspect, sha256Of } from './inspect-file.ts';
import type { ChosenFile } from './inspect-file.ts';

export interface Inspection {
  findings: Finding[];
  sha256: string | undefined;
}

/** undefined while the file is being looked at. */
export function useInspection(file: ChosenFile, type: ArtifactType): Inspection | undefined {
  const [done, setDone] = useState<Inspection & { file: ChosenFile; type: ArtifactType }>();
  useEffect(() => {
    const giveUp = new AbortController();
    const look = async () => {
      const [findings, sha256] = await Promise.all([inspect(file, type, giveUp.signal), sha256Of(file.bytes)]);
      if (!giveUp.signal.aborted) setDone({ file, type, findings, sha256 });
    };
    look().catch((error: unknown) => {
      if (giveUp.signal.aborted) return;
      // A fault of ours or of the browser's must not stand in the way: the service checks again.
      const findings: Finding[] = [{ level: 'warning', text: `The file could not be checked here: ${String(error)}` }];
      setDone({ file, type, findings, sha256: undefined });
    });
    return () => giveUp.abort();
  }, [file, type]);
  return done?.file === file && done.type === type ? done : undefined;
}
