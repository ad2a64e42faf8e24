// v1.md, "Artifacts".
import { artifactForm } from '#/contract/artifacts.ts';
import type { Artifact, artifactEndpoints } from '#/contract/artifacts.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import type { Handlers } from '../http/implement.ts';
import { artifactById, deleteArtifact, insertArtifact, listArtifacts, requireQuota } from '../store/artifacts.ts';
import type { StoredArtifact } from '../store/artifacts.ts';
import { wasSubmitted, runOnce } from '../store/submissions.ts';
import { logFault } from '../store/system-fault.ts';
import { takeIn } from './artifact-intake.ts';
import { readUpload } from './upload.ts';

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
        accountId,
        most: context.config.artifactMax,
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
      const artifact = await takeIn(context, {
        ...upload,
        accountId,
        commit: (tx, made, form) => {
          const submission = { accountId, key, content: [form, upload.name, upload.received.sha256] };
          return runOnce(tx, submission, now(), async () => {
            await insertArtifact(tx, made);
            await audit.record(tx, request, 'artifact.upload', made.id);
            return made.id;
          });
        },
      });
      return shown(artifact);
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
