// What jobs of this browser ran, for services whose answers do not report it: a retry then knows it.
import * as z from 'zod/mini';
import { json, stored } from '#/lib/stored.ts';

/** Of the latest jobs. */
const MOST = 300;

const ran = z.object({
  JobId: z.string(),
  ArtifactId: z.optional(z.string()),
  WorkflowId: z.optional(z.string()),
});
type Ran = z.infer<typeof ran>;

const NONE: readonly Ran[] = [];
const submitted = stored('muster-submitted', NONE, json(z.readonly(z.array(ran))));

export function rememberSubmitted({ JobId, ArtifactId, WorkflowId }: Ran): void {
  if (!ArtifactId && !WorkflowId) return;
  const others = submitted.get().filter((each) => each.JobId !== JobId);
  submitted.set([...others, { JobId, ArtifactId, WorkflowId }].slice(-MOST));
}

/** What a job ran, or the parent that it belongs to. */
export const submittedAs = (...ids: readonly (string | undefined)[]): Ran | undefined =>
  submitted.get().findLast(({ JobId }) => ids.includes(JobId));
