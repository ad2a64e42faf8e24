// Every error answer of the service is a Problem (RFC 9457): thrown by a handler, or made here from an error of the
// store.
import type { ProblemBody } from '#/contract/problem.ts';
import {
  Conflict,
  FileUnusable,
  InvalidInput,
  LimitReached,
  NotFound,
  ReachesOutside,
  StoreError,
  TooLarge,
  Unavailable,
} from '../store/errors.ts';
import type { FieldError } from '../store/errors.ts';
import { systemFault } from '../store/system-fault.ts';

/** Titles by status, so that the same kind of error always reads the same. */
const TITLES: Record<number, string> = {
  400: 'The request is not valid',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'The request took too long',
  409: 'Conflict',
  411: 'Length required',
  413: 'Too large',
  415: 'Unsupported media type',
  416: 'Range not satisfiable',
  429: 'Too many attempts',
  500: 'Something went wrong here',
  503: 'Not available at the moment',
};

interface ProblemOptions {
  errors?: FieldError[];
  headers?: Record<string, string>;
  /** Further members of the problem document, for programs (RFC 9457, section 3.2). */
  members?: Record<string, string>;
  cause?: unknown;
}

/** A refusal that says what happened, to which object, and what to do about it. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly detail: string | undefined;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;
  readonly members: Record<string, string>;

  /**
   * @param title what happened, in one short line
   * @param detail what to do, in full sentences
   */
  constructor(
    status: number,
    title: string,
    detail?: string,
    { errors, headers = {}, members = {}, cause }: ProblemOptions = {},
  ) {
    super(title, cause === undefined ? undefined : { cause });
    this.status = status;
    this.detail = detail;
    this.errors = errors;
    this.headers = headers;
    this.members = members;
  }

  body(): ProblemBody {
    return {
      type: 'about:blank',
      title: this.message || TITLES[this.status] || 'Refused',
      status: this.status,
      ...(this.detail !== undefined && { detail: this.detail }),
      ...(this.errors !== undefined && { errors: this.errors }),
      ...this.members,
    };
  }

  response(): Response {
    return new Response(JSON.stringify(this.body()), {
      status: this.status,
      headers: {
        'Content-Type': 'application/problem+json',
        'Cache-Control': 'no-store',
        ...(this.status === 401 && { 'WWW-Authenticate': 'Bearer realm="muster"' }),
        ...this.headers,
      },
    });
  }
}

/** 400 with the invalid fields; the detail repeats them for clients that show only that. */
export function invalid(errors: FieldError[]): Problem {
  const texts = errors.map(({ field, message }) => (field ? `${field} ${message}` : `The request ${message}`));
  return new Problem(400, TITLES[400] ?? '', `${texts.join('; ')}.`, { errors });
}

/** A user-defined name for an error text. */
export const nameOf = (given: string): string => (given === '' ? '""' : given.slice(0, 100).toWellFormed());

const STATUS = new Map<unknown, number>([
  [NotFound, 404],
  [InvalidInput, 400],
  [LimitReached, 403],
  [ReachesOutside, 403],
  [Conflict, 409],
  [FileUnusable, 410],
  [TooLarge, 413],
]);

/** The answer to an error of the store or a fault of the machine, which becomes its cause; undefined for a bug. */
export function problemOf(thrown: unknown): Problem | undefined {
  if (thrown instanceof Problem) return thrown;
  const error = thrown instanceof StoreError ? thrown : systemFault(thrown);
  if (!error) return undefined;
  const { message, detail } = error;
  if (error instanceof Unavailable) {
    const { retryAfterSeconds: seconds } = error;
    const headers: Record<string, string> = seconds === undefined ? {} : { 'Retry-After': String(seconds) };
    return new Problem(503, message, detail, { headers, cause: error });
  }
  const status = STATUS.get(error.constructor) ?? 500;
  const errors = error instanceof InvalidInput ? error.fields : undefined;
  return new Problem(status, message, detail, { ...(errors && { errors }), cause: error });
}

/** What is broken, if that is why there is a problem; undefined for a refusal by design. */
export const faultBehind = ({ cause }: Problem): StoreError | undefined =>
  cause instanceof StoreError && cause.cause !== undefined ? cause : undefined;

/** Default title for a status. */
export const titleOf = (status: number): string => TITLES[status] ?? 'Refused';
