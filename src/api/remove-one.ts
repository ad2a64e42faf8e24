// Deletes one of many and says what really became of it: a 404 alone does not tell whether it was there before, nor
// whether the service can delete it at all.
import { ApiError, isMissing } from '#/api/api-error.ts';
import { Skipped } from './skipped.ts';

/** `isThere` reads whether it is still there; `what`: how many of its kind are called, "devices". */
export async function removeOne(
  what: string,
  remove: () => Promise<unknown>,
  isThere: () => Promise<boolean>,
): Promise<Skipped | undefined> {
  try {
    await remove();
    return undefined;
  } catch (error) {
    if (!isMissing(error)) throw error;
    if (!(await isThere())) return new Skipped('It no longer existed');
    throw new ApiError('refused', `This service does not delete ${what}`, {
      status: 404,
      detail: 'It is still there.',
    });
  }
}
