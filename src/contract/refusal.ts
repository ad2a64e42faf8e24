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

/** Reads an error body in any format: problem+json, {message}, {error}, {errors}, text, HTML, nothing. Masks secrets. */
export function readRefusal(answer: string): Refusal {
  const body = withoutSecrets(answer);
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
  const text = textOf(value) || textOf(errors);
  const title = 'title' in value && typeof value.title === 'string' ? value.title.trim().slice(0, MOST) : '';
  const detail = (text || raw.detail).slice(0, MOST);
  const permission =
    'Permission' in value && typeof value.Permission === 'string' ? { permission: value.Permission } : {};
  const needs = 'Needs' in value && typeof value.Needs === 'string' ? { needs: value.Needs } : {};
  return { ...(title && title !== detail ? { title } : {}), detail, fields, ...permission, ...needs };
}
