// Why a device could not be made, in words about licences, and about what may have happened all the same.
import { ApiError } from '#/api/api-error.ts';
import { unplacedError } from '#/api/form-rules.ts';
import { FIELD_LABELS } from './changed-fields.ts';

export function creationError(error: Error | null): Error | null {
  if (!(error instanceof ApiError)) return error;
  const { kind, status, detail } = error;
  if (status === 403)
    return new ApiError(kind, 'The licence has no room for another device', {
      status,
      detail: detail || 'Delete a device that is no longer needed, or raise the limit of the plan.',
    });
  if (kind === 'network' || kind === 'timeout')
    return new ApiError(kind, error.message, {
      detail: `${detail} The device may have been created all the same: look for it in the list before you try again.`,
    });
  return unplacedError(error, FIELD_LABELS);
}
