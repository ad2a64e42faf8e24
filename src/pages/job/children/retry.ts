// Whether a job can be done again.
import type { Job } from '#/contract/jobs.ts';

/** Why not; undefined where it can. `devices`: how many there are to do it on. */
export function whyNoRetry({ ArtifactId, WorkflowId }: Job, devices: number): string | undefined {
  if (!ArtifactId && !WorkflowId) return 'The service does not say which artifact or workflow this job ran';
  return devices === 0 ? 'There is no such device' : undefined;
}
