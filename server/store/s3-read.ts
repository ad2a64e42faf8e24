// Downloads from an S3 store, resumed after a lost connection and verified. A whole artifact is compared with its
// SHA-256 before its last chunk is passed on, so that nobody receives a complete file with the wrong content.
import { createHash } from 'node:crypto';
import { unusableFile } from './artifact-files.ts';
import type { ByteRange, FileFault, KnownFile } from './artifact-files.ts';
import type { S3Client, S3Object } from './s3-client.ts';
import { S3Fault } from './s3-fault.ts';

const TRIES = 3;

/** `isContent` means that the size is right but the content is not. */
type Found = (fault: FileFault | undefined, isContent: boolean) => void;

/**
 * Opens part or all of an artifact. `found` is called with the fault of its object, or with undefined if its size is
 * right.
 */
export async function readObject(
  s3: S3Client,
  artifact: KnownFile,
  part: ByteRange,
  found: Found,
): Promise<AsyncIterable<Uint8Array>> {
  const { id, sizeBytes } = artifact;
  const isWhole = part.start === 0 && part.end === sizeBytes - 1;
  const object = await s3.get(id, isWhole ? undefined : part);
  if (object?.totalBytes !== sizeBytes) {
    const fault = object ? 'Damaged' : 'Missing';
    object?.cancel();
    found(fault, false);
    throw unusableFile(artifact, fault);
  }
  found(undefined, false);
  const bytes = withResume(s3, object, id, part);
  return withFirstChunk(isWhole ? verified(bytes, artifact, found) : bytes);
}

async function* withResume(s3: S3Client, first: S3Object, id: string, part: ByteRange): AsyncGenerator<Uint8Array> {
  let object = first;
  let at = part.start;
  for (let tried = 1; ; tried += 1)
    try {
      for await (const chunk of object.bytes) {
        at += chunk.length;
        yield chunk;
      }
      if (at === part.end + 1) return;
      throw new S3Fault('passing', `sent ${part.end + 1 - at} bytes too few`);
    } catch (cause) {
      if (!(cause instanceof S3Fault) || !cause.isPassing || tried >= TRIES || at > part.end) throw cause;
      const rest = await s3.get(id, { start: at, end: part.end });
      if (rest?.totalBytes !== first.totalBytes) {
        rest?.cancel();
        throw cause;
      }
      object = rest;
    }
}

async function* verified(
  bytes: AsyncIterable<Uint8Array>,
  artifact: KnownFile,
  found: Found,
): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  let last: Uint8Array | undefined;
  for await (const chunk of bytes) {
    digest.update(chunk);
    if (last) yield last;
    last = chunk;
  }
  if (digest.digest('hex') !== artifact.sha256) {
    found('Damaged', true);
    throw unusableFile(artifact, 'Damaged');
  }
  if (last) yield last;
}

/**
 * Reads the first chunk before the response starts, so that an error becomes a refusal instead of a broken download.
 */
async function withFirstChunk(bytes: AsyncGenerator<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  let first: IteratorResult<Uint8Array> | undefined = await bytes.next();
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const result = first ?? (await bytes.next());
        first = undefined;
        return result;
      },
      return: () => bytes.return(undefined),
    }),
  };
}
