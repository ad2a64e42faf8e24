// The body of a job submission: the target, and what to run there.
import * as z from 'zod/mini';
import { nameText } from '#/contract/endpoint.ts';

const present = (value: string | undefined) => value !== undefined && value !== '';

/** Most devices that one submission may name by id. */
export const MOST_DEVICES = 50_000;
/** Room for that many ids of the usual length. */
export const SUBMIT_BODY_BYTES = 4 * 1024 * 1024;

const deviceIds = z
  .array(z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(255)))
  .check(z.minLength(1, 'must name a device'), z.maxLength(MOST_DEVICES, `must name at most ${MOST_DEVICES} devices`));

/**
 * Body of submit: exactly one target, and one artifact or workflow.
 *
 * `DeviceIds` and `RetryOf` are additions; a service without them sees no target and refuses. A device named twice gets
 * one job. With `RetryOf`, the id of a parent, the jobs become further attempts of its children: these must all have
 * ended, and each device must be one of the parent's. A retry runs what the parent ran: the artifact or workflow may be
 * omitted, and a different one is refused. With the id of a single job, that job becomes the first child of a new parent,
 * whose id is returned and which replaces it in the list; its own id still works.
 */
export const jobDraft = z
  .object({
    Name: nameText,
    DeviceId: z.optional(z.string()),
    DeviceGroup: z.optional(z.string()),
    TagId: z.optional(z.string()),
    DeviceIds: z.optional(deviceIds),
    RetryOf: z.optional(z.string().check(z.maxLength(255))),
    ArtifactId: z.optional(z.string()),
    WorkflowId: z.optional(z.string()),
  })
  .check((context) => {
    const refuse = (message: string) => context.issues.push({ code: 'custom', message, input: context.value });
    const { DeviceId, DeviceGroup, TagId, DeviceIds, RetryOf, ArtifactId, WorkflowId } = context.value;
    // An empty value may come from an unset variable in a script, and the rest could then mean something else.
    for (const [field, value] of Object.entries({ DeviceId, DeviceGroup, TagId, RetryOf, ArtifactId, WorkflowId }))
      if (value === '')
        context.issues.push({
          code: 'custom',
          path: [field],
          message: 'must not be empty: leave it out',
          input: context.value,
        });
    const targets = [DeviceId, DeviceGroup, TagId].filter(present).length + (DeviceIds ? 1 : 0);
    if (targets !== 1) refuse('needs exactly one target: DeviceId, DeviceGroup, TagId or DeviceIds');
    if (present(RetryOf) && !DeviceIds) refuse('needs DeviceIds with RetryOf: the devices that try again');
    const payloads = [ArtifactId, WorkflowId].filter(present).length;
    if (payloads > 1 || (payloads === 0 && !present(RetryOf)))
      refuse('needs exactly one of ArtifactId (recommended) and WorkflowId (legacy)');
  });
export type JobDraft = z.output<typeof jobDraft>;
