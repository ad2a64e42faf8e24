// The type of one row of the contract. The other files are tables of such rows, from which both sides derive: the
// dashboard's `call` and the service's `implement`.
import * as z from 'zod/mini';
import { noteUnreadable } from '#/contract/unreadable-rows.ts';

type Schema<Output = unknown> = z.ZodMiniType<Output>;
/** A schema of named fields, whose names can be listed. */
type NamedFields = Schema<Record<string, string | undefined>> & { readonly shape: object };

/** One operation of the API. Without `response` it is "200, no body" in the document. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the base address; `:name` is a value of `params`. */
  path: `/v1/${string}`;
  summary: string;
  /** An addition to the document: other services answer 404, and the dashboard works without it. */
  addition?: true;
  params?: Schema<Record<string, string | number>>;
  /** Parsed strictly: unknown and repeated names are refused. A misspelt condition would match everything. */
  query?: NamedFields;
  /**
   * Sent with an `Idempotency-Key` header, new for each request, if the account offers it: a browser resends a POST by
   * itself when a keep-alive connection ends without a response (RFC 9110, section 9.2.2), and a service that knows the
   * header acts only once.
   */
  once?: true;
  /**
   * JSON body. Unknown fields are ignored, so that newer clients, and clients that send an object of a listing back, do
   * not fail. A repeated key is refused.
   */
  body?: Schema;
  /** Most bytes of the JSON body, if that is not 1 MB. */
  bodyLimit?: number;
  /**
   * The row stands for the tus protocol: this path makes an upload, and the path below it, with the id, is asked for its
   * offset, takes bytes and ends it.
   */
  tus?: true;
  /** multipart/form-data: the text fields, parsed as strictly as `query`; the file is the part named `file`. */
  form?: NamedFields;
  response?: Schema;
  /** The answer is a stream (text/event-stream): the data of its events, as JSON. */
  events?: Schema;
  /** The answer is a file of this media type. */
  file?: string;
}

/** What a row answers: one method on one path, or those of the tus protocol. */
export const routesOf = ({
  method,
  path,
  tus,
}: Pick<Endpoint, 'method' | 'path' | 'tus'>): { method: string; path: string }[] =>
  tus
    ? [
        { method, path },
        { method: 'OPTIONS', path },
        ...['HEAD', 'PATCH', 'DELETE', 'POST'].map((each) => ({ method: each, path: `${path}/:upload_id` })),
      ]
    : [{ method, path }];

/** The endpoints of one section of the document, by operation name. */
export type Group = Record<string, Endpoint>;

type Parsed<E, Key extends string> = E extends { [K in Key]: Schema<infer Output> } ? { [K in Key]: Output } : unknown;

/** `query` itself is optional if all its conditions are. */
type Conditions<E> = E extends { query: Schema<infer Query> }
  ? Partial<Query> extends Query
    ? { query?: Query }
    : { query: Query }
  : unknown;

/** The request, as passed to `call`. */
export type RequestOf<E extends Endpoint> = Parsed<E, 'params'> &
  Conditions<E> &
  Parsed<E, 'body'> &
  (E extends { form: Schema<infer Fields> } ? { form: Fields } : unknown);

/** The result of a handler and of `call`. */
export type ResponseOf<E extends Endpoint> = E extends { response: Schema<infer Output> } ? Output : void;

/**
 * One handler per row of a group; a missing one does not compile. `Extra` is what the service adds to every request,
 * `Other` what handlers may return instead. A form is not passed: the handler reads it, with its file, as it arrives.
 */
export type Handlers<G extends Group, Extra, Other = never> = {
  [Name in keyof G]: (
    request: Omit<RequestOf<G[Name]>, 'form' | 'query'> & Parsed<G[Name], 'query'> & Extra,
  ) => ResponseOf<G[Name]> | Other | Promise<ResponseOf<G[Name]> | Other>;
};

// ---- Writing is exact ----------------------------------------------------------------------------------------------

/** An identifier in a path. Browsers drop empty parts, `.` and `..`, and the URL would mean a whole collection. */
export const pathId = z.string().check(
  z.minLength(1, 'must not be empty'),
  z.maxLength(255),
  z.refine((id) => id !== '.' && id !== '..', 'must not be "." or ".."'),
);

/** An integer ≥ 1 in a path: digits in the URL, a number in code. */
export const pathInteger = (max?: number) =>
  z.pipe(
    z.transform((value) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value)),
    z
      .int('must be a whole number')
      .check(z.gte(1, 'must be at least 1'), ...(max === undefined ? [] : [z.lte(max, `must be at most ${max}`)])),
  );

/** The query of a list that is read by cursor: `before` is the `Next` of the previous page. */
export const pageFields = {
  limit: z.optional(z.string().check(z.regex(/^([1-9]\d?|[1-4]\d\d|500)$/, 'must be a whole number from 1 to 500'))),
  before: z.optional(z.string().check(z.regex(/^\d{0,15}$/, 'must be a Next value of this list'))),
};

/** A name that a user chooses: 1 to 255 characters, not only blanks. */
export const nameText = z.string().check(
  z.maxLength(255),
  z.refine((text) => text.trim() !== '', 'must not be empty'),
);

// ---- Reading is lenient --------------------------------------------------------------------------------------------

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const numeric = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;

/** Fields that describe an error: an empty one means no error, not an empty list. */
const ABOUT_ERRORS = /^(errors?|message|detail|title|reason|code|status)$/i;
const isNothing = (value: unknown) => value === null || value === '' || value === 0;

/** An object around a `null` list, with at most counts beside it: how services written in Go send an empty list. */
const isWrappedNull = (value: Record<string, unknown>): boolean => {
  const fields = Object.entries(value);
  const isFine = ([name, field]: [string, unknown]) =>
    isNothing(field) || (!ABOUT_ERRORS.test(name) && (field === true || Number.isFinite(numeric(field))));
  return fields.some(([name, field]) => field === null && !ABOUT_ERRORS.test(name)) && fields.every(isFine);
};

/**
 * The rows of a list answer. Accepted: a bare array; an object in which exactly one value is an array; `null`, a
 * wrapped `null` or an empty body for an empty list. Anything else is undefined, and never an empty list.
 */
export function rowsOf(value: unknown): unknown[] | undefined {
  if (value === null || value === undefined || value === '') return [];
  if (Array.isArray(value)) return value as unknown[];
  if (!isObject(value)) return undefined;
  const arrays = Object.values(value).filter(Array.isArray);
  if (arrays.length === 0 && isWrappedNull(value)) return [];
  return arrays.length === 1 ? arrays[0] : undefined;
}

/** Rows of which a bad one is left out and counted; an error if all of them are bad. */
export function rowsLike<Row>(row: Schema<Row>) {
  const rows = z.array(row);
  // Placed before zod's own parsing and not as another schema: the API's description is generated from the schema.
  const readAll = rows._zod.run.bind(rows._zod);
  rows._zod.run = (payload, context) => {
    const read = readAll(payload, context);
    if (read instanceof Promise || read.issues.length === 0) return read;
    const bad = new Set(read.issues.map(({ path }) => path?.[0]));
    const good = Array.isArray(read.value) ? read.value.filter((_, at) => !bad.has(at)) : [];
    if (good.length === 0) return read;
    noteUnreadable(good, bad.size);
    return { ...read, value: good, issues: [] };
  };
  return rows;
}

/** A list in any of the formats of {@link rowsOf}; `row` parses every row, and a bad one is left out. */
export const list = <Row>(row: Schema<Row>) =>
  z.pipe(
    z.transform((value, context) => {
      const rows = rowsOf(value);
      if (rows) return rows;
      context.issues.push({ code: 'custom', message: 'is not a list', input: value });
      return z.NEVER;
    }),
    rowsLike(row),
  );

/** Any JSON value as text, so that one field of an unexpected type does not invalidate the whole response. */
const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Text that another service may omit, or send as null or another type; missing becomes ''. */
export const text = z.pipe(
  z.transform((value: unknown) => (value === undefined || value === null ? '' : plain(value))),
  z.string(),
);

/** Text that only some services send. */
export const optionalText = z.optional(
  z.pipe(
    z.transform((value: unknown) => (value === null ? undefined : plain(value))),
    z.optional(z.string()),
  ),
);

/** A number that another service may send as a numeric string. */
export const number = z.pipe(z.transform(numeric), z.number());

/** A number that only some services send; an unreadable one counts as absent. */
export const optionalNumber = z.optional(
  z.pipe(
    z.transform((value: unknown) => {
      const read = numeric(value);
      return typeof read === 'number' && Number.isFinite(read) ? read : undefined;
    }),
    z.optional(z.number()),
  ),
);

/** An object with other spellings of field names replaced by ours, and without secrets. `settle` may change it. */
export const row = <Output extends Record<string, unknown>>(
  shape: Schema<Output>,
  {
    spellings = {},
    drop = [],
    settle,
  }: { spellings?: Record<string, string>; drop?: string[]; settle?: (read: Record<string, unknown>) => void } = {},
) =>
  z.pipe(
    z.transform((value: unknown) => {
      if (!isObject(value)) return value;
      const read: Record<string, unknown> = { ...value };
      for (const name of drop) delete read[name];
      for (const [other, name] of Object.entries(spellings)) {
        if (!(other in read)) continue;
        read[name] ??= read[other];
        delete read[other];
      }
      settle?.(read);
      return read;
    }),
    shape,
  );
