// The body of our errors, RFC 9457. How any service's error is read: refusal.ts.
import * as z from 'zod/mini';

/** RFC 9457 problem details, with the fields at fault where there are any. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.optional(z.string()),
  errors: z.optional(z.array(z.object({ field: z.string(), message: z.string() }))),
});
export type ProblemBody = z.output<typeof problem>;
