// v1.md, "Artifacts".
import { ARTIFACT_BYTES_LIMIT } from '#/contract/limits.ts';
import { artifactForm } from '#/contract/artifacts.ts';
import type { Artifact, ArtifactForm, artifactEndpoints } from '#/contract/artifacts.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import { newId } from '../store/ids.ts';
import { parse } from '../http/implement.ts';
import type { Handlers } from '../http/implement.ts';
import { invalid } from '../http/problem.ts';
import { artifactById, deleteArtifact, insertArtifact, listArtifacts, requireQuota } from '../store/artifacts.ts';
import type { StoredArtifact } from '../store/artifacts.ts';
import { wasSubmitted, runOnce } from '../store/submissions.ts';
import { logFault } from '../store/system-fault.ts';
import { checkTarball } from './tarball.ts';
import { readUpload } from './upload.ts';
import type { Upload } from './upload.ts';

export function artifactRoutes(context: Context): Handlers<typeof artifactEndpoints> {
  const { db, audit, files, downloads, now } = context;

  const shown = (artifact: StoredArtifact): Artifact => ({
    ArtifactId: artifact.id,
    Name: artifact.name,
    Version: artifact.version,
    Size: artifact.declaredSize,
    IsScript: artifact.isScript,
    Command: downloads.commandFor(artifact, { origin: context.publicUrl }),
    CreatedTime: printIsoTime(new Date(artifact.created)),
    SizeBytes: artifact.sizeBytes,
    Sha256: artifact.sha256,
    ...(artifact.isScript && { Destination: artifact.destination, RunCommand: artifact.runCommand }),
    FileFault: files.faultOf(artifact),
  });

  return {
    upload: async (request) => {
      const { incoming } = request.http.env;
      const accountId = request.account.id;
      const key = idempotencyKey(request.http);
      // An upload that cannot fit is refused before it is received; it is checked again when it is added.
      const about = Number(incoming.headers['content-length'] ?? 0);
      const upload = await readUpload(incoming, files, {
        most: ARTIFACT_BYTES_LIMIT,
        fields: Object.keys(artifactForm.shape),
        giveUp: context.traffic.giveUp,
        admit: async () => {
          // A repeated upload needs no more space. This is checked last, because the first one may have been stored in
          // the meantime.
          await requireQuota(db, accountId, Math.max(1, about - FORM_OVERHEAD_BYTES)).catch(async (cause: unknown) => {
            if (!(await wasSubmitted(db, accountId, key))) throw cause;
          });
        },
      });
      const id = newId();
      try {
        const form = readForm(upload);
        const folder = form.type === 'tar.gz' ? await checkTarball(upload.received.file) : '';
        const script = form.type === 'script' ? form : undefined;
        const artifact: StoredArtifact = {
          id,
          accountId,
          name: upload.name,
          version: form.version.toWellFormed(),
          declaredSize: Number(form.size),
          sizeBytes: upload.received.sizeBytes,
          sha256: upload.received.sha256,
          isScript: form.type === 'script',
          destination: script?.destination?.toWellFormed() ?? '',
          runCommand: script?.command?.toWellFormed() ?? '',
          folder,
          created: now(),
        };
        await files.store(upload.received, id);
        const submission = { accountId, key, content: [form, upload.name, upload.received.sha256] };
        const { id: storedId, repeated } = await db.write((tx) =>
          runOnce(tx, submission, now(), async () => {
            await insertArtifact(tx, artifact);
            await audit.record(tx, request, 'artifact.upload', id);
            return id;
          }),
        );
        if (!repeated) return shown(artifact);
        await files.remove(id);
        return shown(await artifactById(db, accountId, storedId));
      } catch (cause) {
        await files.discard(upload.received);
        await files.remove(id);
        throw cause;
      }
    },

    get: async ({ account, params }) => shown(await artifactById(db, account.id, params.artifact_id)),

    list: async ({ account }) => (await listArtifacts(db, account.id)).map(shown),

    remove: async (request) => {
      const id = request.params.artifact_id;
      await db.write(
        async (tx) => {
          const { name } = await artifactById(tx, request.account.id, id);
          await deleteArtifact(tx, request.account.id, id);
          await context.dispatch.artifactRemoved(tx, id);
          await audit.record(tx, request, 'artifact.remove', id, name);
        },
        { essential: true },
      );
      // The artifact is already deleted; if removing its file fails, the next start removes it.
      await files.remove(id).catch((cause: unknown) => logFault(`artifact ${id}: its file stays behind`, cause));
    },
  };
}

/** The size of an ordinary form besides its file. */
const FORM_OVERHEAD_BYTES = 64 * 1024;

/** The fields as the contract requires them; a missing one counts as empty. */
function readForm({ fields }: Upload): ArtifactForm {
  const form = parse(artifactForm, { size: '', version: '', type: '', ...fields });
  // A shell cannot represent NUL.
  const invalidFields = (['destination', 'command'] as const).filter((field) => form[field]?.includes('\0'));
  if (invalidFields.length > 0)
    throw invalid(invalidFields.map((field) => ({ field, message: 'holds a NUL character' })));
  return form;
}
