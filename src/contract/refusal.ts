// Reads the body of an error. v1.md leaves it open, so anything that any service says is taken. Apart from the schemas,
// since this much is needed before anybody is signed in and they are not.

/** What a person is told of a refused request; `detail` holds at most 500 characters of text. */
export interface Refusal {
  /** The service's own heading, where it gives one beside the detail (RFC 9457). */
  title?: string;
  detail: string;
  fields: { field: string; message: string }[];
}

const MOST = 500;
/** Deeper than any real error body; without a bound a hostile one would exhaust the stack. */
const DEEPEST = 8;

const textOf = (value: unknown, depth = 0): string => {
  if (typeof value === 'string') return value.trim();
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return '';
  const within = (part: unknown) => textOf(part, depth + 1);
  if (Array.isArray(value)) return value.map(within).filter(Boolean).join('; ');
  const { field, message, detail, title, error } = value as Record<string, unknown>;
  const said = within(detail) || within(message) || within(error) || within(title);
  return said && typeof field === 'string' && field ? `${field} ${said}` : said;
};

const isFieldError = (error: unknown): error is Refusal['fields'][number] =>
  typeof error === 'object' &&
  error !== null &&
  'field' in error &&
  typeof error.field === 'string' &&
  'message' in error &&
  typeof error.message === 'string';

/** Reads an error body in any shape: problem+json, {message}, {error}, {errors}, text, HTML, nothing. */
export function readRefusal(body: string): Refusal {
  const raw = { detail: body.trim().slice(0, MOST), fields: [] };
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return raw;
  }
  if (typeof value === 'string') return { detail: value.slice(0, MOST), fields: [] };
  if (typeof value !== 'object' || value === null) return raw;
  const errors = 'errors' in value && Array.isArray(value.errors) ? value.errors : [];
  const fields = errors
    .filter(isFieldError)
    .map(({ field, message }) => ({ field: field.slice(0, MOST), message: message.slice(0, MOST) }));
  const said = textOf(value) || textOf(errors);
  const title = 'title' in value && typeof value.title === 'string' ? value.title.trim().slice(0, MOST) : '';
  const detail = (said || raw.detail).slice(0, MOST);
  return { ...(title && title !== detail ? { title } : {}), detail, fields };
}
