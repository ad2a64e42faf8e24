// Reads the body of an error. v1.md leaves its format open, so any format is accepted. Separate from the schemas, which load
// after the sign-in page.

import { withoutSecrets } from '#/contract/mask-secrets.ts';

/** The error text for users; `detail` has at most 500 characters. */
export interface Refusal {
  /** The service's own title, if it sends one beside the detail (RFC 9457). */
  title?: string;
  detail: string;
  fields: { field: string; message: string }[];
  /** What our service needs for another attempt (`SignInNeeds`). */
  needs?: string;
  /** The permission that the caller's role lacks. */
  permission?: string;
}

const MOST = 500;
/** Deeper than any real error. Without a limit, a hostile one could exhaust the stack. */
const DEEPEST = 8;

/** Whether a text is a page, so not of the service but of a proxy or a network's sign-in. */
export const isPage = (text: string): boolean =>
  /^\s*<(?:[!?]|(?:html|head|body|title|meta|style|script|center|div|h\d|p|a)\b)/i.test(text);

/** A text of the service, cut; nothing of a page. */
const shown = (text: string): string => (isPage(text) ? '' : text.trim().slice(0, MOST));

const textOf = (value: unknown, depth = 0): string => {
  if (typeof value === 'string') return value.trim();
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return '';
  const within = (part: unknown) => textOf(part, depth + 1);
  if (Array.isArray(value)) return value.map(within).filter(Boolean).join('; ');
  const { field, message, detail, title, error } = value as Record<string, unknown>;
  const text = within(detail) || within(message) || within(error) || within(title);
  return text && typeof field === 'string' && field ? `${field} ${text}` : text;
};

const isFieldError = (error: unknown): error is Refusal['fields'][number] =>
  typeof error === 'object' &&
  error !== null &&
  'field' in error &&
  typeof error.field === 'string' &&
  'message' in error &&
  typeof error.message === 'string';

/** Reads an error body in any format: problem+json, {message}, {error}, {errors}, text, nothing. Masks secrets. */
export function readRefusal(answer: string): Refusal {
  const body = withoutSecrets(answer);
  const raw = { detail: shown(body), fields: [] };
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return raw;
  }
  if (typeof value === 'string') return { detail: shown(value), fields: [] };
  if (typeof value !== 'object' || value === null) return raw;
  const errors = 'errors' in value && Array.isArray(value.errors) ? value.errors : [];
  const fields = errors
    .filter(isFieldError)
    .map(({ field, message }) => ({ field: field.slice(0, MOST), message: shown(message) }));
  const text = textOf(value) || textOf(errors);
  const title = 'title' in value && typeof value.title === 'string' ? shown(value.title) : '';
  const detail = shown(text || raw.detail);
  const permission =
    'Permission' in value && typeof value.Permission === 'string' ? { permission: value.Permission } : {};
  const needs = 'Needs' in value && typeof value.Needs === 'string' ? { needs: value.Needs } : {};
  return { ...(title && title !== detail ? { title } : {}), detail, fields, ...permission, ...needs };
}
