// Makes an artifact of a file that has arrived, however it was sent: checks it, stores it, and adds the record.
import { artifactForm } from '#/contract/artifacts.ts';
import type { ArtifactForm } from '#/contract/artifacts.ts';
import type { Context } from '../context.ts';
import { parse } from '../http/implement.ts';
import { invalid } from '../http/problem.ts';
import type { Received } from '../store/artifact-files.ts';
import { artifactById } from '../store/artifacts.ts';
import type { StoredArtifact } from '../store/artifacts.ts';
import type { Tx } from '../store/database.ts';
import { newId } from '../store/ids.ts';
import { checkTarball } from './tarball.ts';

export interface Intake {
  accountId: number;
  name: string;
  fields: Record<string, string>;
  received: Received;
  /** Adds the record, unless the same upload already became an artifact; answers with the id of either. */
  commit: (tx: Tx, artifact: StoredArtifact, form: ArtifactForm) => Promise<{ id: string; repeated: boolean }>;
}

/** The file is taken in any case: nothing of one that is refused is left. */
export async function takeIn(
  { db, files, now }: Pick<Context, 'db' | 'files' | 'now'>,
  { accountId, name, fields, received, commit }: Intake,
): Promise<StoredArtifact> {
  const id = newId();
  try {
    const form = readArtifactForm(fields);
    const isScript = form.type === 'script';
    const { folder, unpackedBytes } = isScript ? { folder: '', unpackedBytes: 0 } : await checkTarball(received.file);
    const artifact: StoredArtifact = {
      id,
      accountId,
      name,
      version: form.version.toWellFormed(),
      declaredSize: Number(form.size),
      sizeBytes: received.sizeBytes,
      sha256: received.sha256,
      isScript,
      destination: isScript ? (form.destination?.toWellFormed() ?? '') : '',
      runCommand: isScript ? (form.command?.toWellFormed() ?? '') : '',
      folder,
      created: now(),
      unpackedBytes,
    };
    await files.store(received, id);
    const { id: storedId, repeated } = await db.write((tx) => commit(tx, artifact, form));
    if (!repeated) return artifact;
    await files.remove(id);
    return await artifactById(db, accountId, storedId);
  } catch (cause) {
    await files.discard(received);
    await files.remove(id);
    throw cause;
  }
}

/** The fields as the contract requires them; a missing one counts as empty. */
export function readArtifactForm(fields: Record<string, string>): ArtifactForm {
  const form = parse(artifactForm, { size: '', version: '', type: '', ...fields });
  // A shell cannot represent NUL.
  const invalidFields = (['destination', 'command'] as const).filter((field) => form[field]?.includes('\0'));
  if (invalidFields.length > 0)
    throw invalid(invalidFields.map((field) => ({ field, message: 'holds a NUL character' })));
  return form;
}
