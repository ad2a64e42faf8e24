// Adds chosen files to the queue of uploads. A file replaces a waiting one of the same name: it was corrected and
// dropped again. Fields that the user has edited are kept.
import type { Artifact } from '#/contract/artifacts.ts';
import { formatCount } from '#/lib/format.ts';
import { readChosen, type ChosenFile } from '#/pages/artifacts/inspect/inspect-file.ts';
import { fieldsFor, mergedFields } from './upload-fields.ts';
import { isUnderWay, type QueuedFile, type UploadQueue } from './upload-queue.ts';

/** The most files at a time, since their bytes are held in memory. */
const MOST = 50;

const isOpen = (item: QueuedFile) => !isUnderWay(item) && item.stage.name !== 'stored';

/** `at`: id of the item that the first file replaces. Returns the id of the first added item, and what was refused. */
export async function chooseFiles(
  queue: UploadQueue,
  files: readonly File[],
  artifacts: readonly Artifact[],
  at?: string,
): Promise<{ first: string | undefined; refused: Error | null }> {
  const tooMany: string[] = [];
  let first: string | undefined;
  const take = (file: ChosenFile) => {
    const suggested = fieldsFor(file, artifacts);
    const open = queue.snapshot().filter(isOpen);
    const before = open.find(({ id }) => id === at) ?? open.find((item) => item.file.name === file.name);
    at = undefined;
    if (before) queue.replace(before.id, file, mergedFields(before.fields, before.suggested, suggested), suggested);
    else if (queue.snapshot().filter(({ stage }) => stage.name !== 'stored').length < MOST) {
      const id = queue.add(file, suggested);
      first ??= id;
    } else tooMany.push(file.name);
  };
  const unreadable: string[] = [];
  for (const file of files) {
    try {
      take(await readChosen(file));
    } catch (error) {
      unreadable.push(error instanceof Error ? error.message : String(error));
    }
  }
  const reasons = unreadable.slice(0, 3);
  if (tooMany.length > 0) {
    const named = `${tooMany.slice(0, 3).join(', ')}${tooMany.length > 3 ? ' and more' : ''}`;
    reasons.push(`${formatCount(MOST)} files can wait at a time. Not taken: ${named}.`);
  }
  return { first, refused: reasons.length > 0 ? new Error(reasons.join('\n')) : null };
}
