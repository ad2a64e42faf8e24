// v1.md, "Artifacts": what is deployed.
import * as z from 'zod/mini';
import { list, optionalNumber, optionalText, pathId, row, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

/** Fields after CreatedTime are additions. `Size` is what the uploader declared, in a unit the document leaves open. */
export const artifact = row(
  z.looseObject({
    ArtifactId: z.string().check(z.minLength(1)),
    Name: text,
    Version: text,
    Size: optionalNumber,
    IsScript: z.catch(z.boolean(), false),
    Command: text,
    CreatedTime: text,
    SizeBytes: optionalNumber,
    Sha256: optionalText,
    /** For a script: its destination folder, and the command run there. */
    Destination: optionalText,
    RunCommand: optionalText,
    /** Why the service cannot send its file: `Missing`, or `Damaged` (its size differs from the upload). */
    FileFault: optionalText,
  }),
);
export type Artifact = z.output<typeof artifact>;

const line = z.string().check(z.maxLength(4096));

/** The text fields of an upload. `destination` and `command` are for scripts only, and required there. */
export const artifactForm = z
  .object({
    size: z.string().check(z.regex(/^\d{1,15}$/, 'must be a whole number of 0 or more')),
    version: z.string().check(
      z.maxLength(255),
      z.refine((version) => version.trim() !== '', 'must not be empty'),
    ),
    type: z.enum(['tar.gz', 'script'], 'must be "tar.gz" or "script"'),
    destination: z.optional(line),
    command: z.optional(line),
  })
  .check((context) => {
    if (context.value.type !== 'script') return;
    for (const field of ['destination', 'command'] as const)
      if (!context.value[field]?.trim())
        context.issues.push({
          code: 'custom',
          path: [field],
          message: 'must not be empty for a script',
          input: context.value[field],
        });
    // A relative path would depend on the folder in which the agent was started.
    const { destination = '' } = context.value;
    if (destination.trim() && !/^(?:\/|~(?:\/|$))/.test(destination.trim()))
      context.issues.push({
        code: 'custom',
        path: ['destination'],
        message: 'must be an absolute path, such as /opt/myapp',
        input: destination,
      });
  });
export type ArtifactForm = z.output<typeof artifactForm>;

const oneArtifact = z.object({ artifact_id: pathId });

export const artifactEndpoints = resource('artifacts', { live: 'flag', id: 'artifact_id' }).operations({
  upload: {
    method: 'POST',
    path: '/v1/artifact',
    permission: 'connect',
    changes: ['account'],
    summary: 'Upload an artifact',
    once: true,
    form: artifactForm,
    // The document promises only ArtifactId; our service returns the complete artifact.
    response: artifact,
  },
  get: {
    method: 'GET',
    path: '/v1/artifact/:artifact_id',
    permission: 'read',
    summary: 'Get one artifact',
    params: oneArtifact,
    response: artifact,
  },
  list: {
    method: 'GET',
    path: '/v1/artifact',
    permission: 'read',
    summary: 'List all artifacts',
    response: list(artifact),
  },
  remove: {
    method: 'DELETE',
    path: '/v1/artifact/:artifact_id',
    permission: 'operate',
    unlimited: true,
    changes: ['account', 'jobs'],
    summary: 'Delete an artifact; jobs that still wait for it fail',
    params: oneArtifact,
  },
});
