// The result of a write that found nothing to do, with the reason.
import { isMissing } from '#/api/api-error.ts';

export class Skipped {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** For the deletion of one of many: what somebody else has deleted meanwhile is no failure. */
export const skipMissing = (error: unknown): Skipped => {
  if (isMissing(error)) return new Skipped('It no longer existed');
  throw error;
};
