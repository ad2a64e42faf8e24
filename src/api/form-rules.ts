// Forms validate with the contract's schemas and call each field by its label. Errors from the service are worded the same
// way.
import type * as z from 'zod/mini';
import { issueText } from '#/contract/issue-text.ts';
import { ApiError, fieldErrors } from '#/api/api-error.ts';

/** Labels of fields by wire name. */
export type FieldLabels = Record<string, string>;

/** A message of the service that is a sentence stands by itself. */
const sentence = (label: string | undefined, message: string) =>
  /^\p{Lu}/u.test(message) ? message : `${label ?? 'This'} ${message}`;

/** A validator for useForm: the first error of every field, as "Version must not be empty". */
export const checkedBy =
  (schema: z.ZodMiniType, labels: FieldLabels) =>
  (values: unknown): Record<string, string> => {
    const errors = new Map<string, string>();
    for (const issue of schema.safeParse(values).error?.issues ?? []) {
      const field = issue.path.join('.');
      if (!errors.has(field)) errors.set(field, sentence(labels[field], issueText(issue)));
    }
    return Object.fromEntries(errors);
  };

/** The service's errors about fields of the form, worded like the form's own. */
export function refusedFields(error: unknown, labels: FieldLabels): Record<string, string> {
  const errors = fieldErrors(error, Object.keys(labels));
  return Object.fromEntries(
    Object.entries(errors).map(([field, message]) => [field, sentence(labels[field], message)]),
  );
}

/** The error to show above the buttons: none if the fields already show everything. */
export function unplacedError(error: Error | null, labels: FieldLabels): Error | null {
  if (!(error instanceof ApiError) || error.fields.length === 0) return error;
  return error.fields.every(({ field }) => field in labels) ? null : error;
}

/** The functions above, bound to one form. */
export const formRules = <Field extends string>(schema: z.ZodMiniType, labels: Record<Field, string>) => ({
  labels,
  check: checkedBy(schema, labels),
  refused: (error: Error) => refusedFields(error, labels),
  unplaced: (error: Error | null) => unplacedError(error, labels),
});
