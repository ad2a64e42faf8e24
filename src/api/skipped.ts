// The result of a write that had nothing to do, with the reason.
import { isMissing } from '#/api/api-error.ts';

export class Skipped {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** For deleting many objects: one that somebody else has deleted meanwhile is not a failure. */
export const skipMissing = (error: unknown): Skipped => {
  if (isMissing(error)) return new Skipped('It no longer existed');
  throw error;
};
