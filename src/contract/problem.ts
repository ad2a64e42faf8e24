// The body of our own errors. refusal.ts reads the errors of any service.
import * as z from 'zod/mini';

/** RFC 9457 problem details, with the invalid fields. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.optional(z.string()),
  errors: z.optional(z.array(z.object({ field: z.string(), message: z.string() }))),
});
export type ProblemBody = z.output<typeof problem>;
