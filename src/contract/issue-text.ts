// Describes an invalid value in a phrase that follows the field's name: "DeviceName must not be empty".
import type * as z from 'zod/mini';

type Issue = Pick<z.core.$ZodIssue, 'code' | 'message'> &
  Partial<Record<'input' | 'expected' | 'maximum' | 'minimum' | 'origin', unknown>>;

/** zod's default message. */
const NO_WORDS = 'Invalid input';

/** The schema's own text, if it has one. */
export function issueText(issue: z.core.$ZodIssue): string {
  const { code, message, expected, maximum, minimum, origin }: Issue = issue;
  if (message && message !== NO_WORDS) return message;
  const unit = origin === 'string' ? ' characters' : '';
  switch (code) {
    case 'invalid_type':
      return expected === 'array'
        ? 'must be a list'
        : `must be ${expected === 'object' || expected === 'int' ? 'an' : 'a'} ${String(expected)}`;
    case 'too_big':
      return `must be at most ${String(maximum)}${unit}${unit && ' long'}`;
    case 'too_small':
      return `must be at least ${String(minimum)}${unit}${unit && ' long'}`;
    default:
      return 'is not valid';
  }
}
