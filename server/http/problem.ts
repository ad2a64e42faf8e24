// Every error answer of the service is a Problem: thrown anywhere in a handler, printed in one place, as RFC 9457.
import type { ProblemBody } from '#/contract/problem.ts';

/** One invalid field of a request; reads as "<field> <message>". */
export interface FieldError {
  field: string;
  message: string;
}

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

/** A refusal that says what happened, to which object, and what to do about it. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly detail: string | undefined;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  /**
   * @param title what happened, in one short line
   * @param detail what to do, in whole sentences
   */
  constructor(
    status: number,
    title: string,
    detail?: string,
    { errors, headers = {} }: { errors?: FieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(title);
    this.status = status;
    this.detail = detail;
    this.errors = errors;
    this.headers = headers;
  }

  body(): ProblemBody {
    return {
      type: 'about:blank',
      title: this.message || TITLES[this.status] || 'Refused',
      status: this.status,
      ...(this.detail !== undefined && { detail: this.detail }),
      ...(this.errors !== undefined && { errors: this.errors }),
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

/** 404 for an object that does not exist or belongs to another account: the caller cannot tell which. */
export function notFound(kind: string, id: string): Problem {
  return new Problem(404, `No ${kind} "${id}"`, `It may have been deleted, or the ${kind} id is mistyped.`);
}

/** Default title for a status. */
export const titleOf = (status: number): string => TITLES[status] ?? 'Refused';
