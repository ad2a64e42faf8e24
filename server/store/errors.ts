// Why the store refuses a request or cannot serve it: what happened, to which thing, and what to do now. Nothing here
// knows HTTP; http/problem.ts gives each of these its status.

/** One invalid field of a request; reads as "<field> <message>". */
export interface FieldError {
  field: string;
  message: string;
}

export abstract class StoreError extends Error {
  /** What to do now, in full sentences. */
  readonly detail: string | undefined;

  /** @param message what happened, in one short line */
  constructor(message: string, detail?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.detail = detail;
  }
}

/** The same request will be refused again, until something else changes. */
export abstract class Refusal extends StoreError {}

/** The object does not exist or belongs to another account: the caller cannot tell which. */
export class NotFound extends Refusal {}

export const notFound = (kind: string, id: string): NotFound =>
  new NotFound(`No ${kind} "${id}"`, `It may have been deleted, or the ${kind} id is mistyped.`);

/** The request is for devices outside the groups that the caller's role is limited to, and for devices inside. */
export class ReachesOutside extends Refusal {
  constructor(detail: string) {
    super('This reaches devices outside your groups', detail);
  }
}

/** The request contradicts what is stored. */
export class Conflict extends Refusal {}

/** The account has used up what its plan allows; its operator can raise it. */
export class LimitReached extends Refusal {}

export class InvalidInput extends Refusal {
  readonly fields: FieldError[] | undefined;

  constructor(message: string, detail: string, { fields, cause }: { fields?: FieldError[]; cause?: unknown } = {}) {
    super(message, detail, cause);
    this.fields = fields;
  }
}

export class TooLarge extends Refusal {}

/** The file of an artifact is missing or damaged. */
export class FileUnusable extends Refusal {}

/** The machine, the database or another part of the service fails; the same request may succeed later. */
export class Unavailable extends StoreError {
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    detail: string,
    options: { retryAfterSeconds?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, detail, options.cause);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
