// Artifacts as objects in an S3 store, named by their ids. An upload is checked in DATA_DIR first and sent from there, so
// that the store contains only complete artifacts. The object .muster beside them names the installation that they
// belong to.
import { createHash } from 'node:crypto';
import { openAsBlob, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../config-error.ts';
import { logFault } from './system-fault.ts';
import { log } from '../operation/log.ts';
import type { S3Config } from '../s3-config.ts';
import {
  artifactFolder,
  describeDiskError,
  emptyArriving,
  openFaultLog,
  receiveFile,
  requireId,
  unusableFile,
} from './artifact-files.ts';
import type { ArtifactFiles, ArtifactRecords, ByteRange, FileFault, KnownFile, Received } from './artifact-files.ts';
import { openS3Client } from './s3-client.ts';
import type { S3Client, S3Times } from './s3-client.ts';
import { S3Fault } from './s3-fault.ts';
import { openUnfinished, sweepObjects } from './s3-sweep.ts';
import { readObject } from './s3-read.ts';

export interface S3ArtifactsOptions {
  store: S3Config;
  dataDir: string;
  /** The id of this installation. */
  instanceId: string;
  records: ArtifactRecords;
  /** The disk is read-only. */
  readOnly?: boolean;
  /** Tests choose shorter ones. */
  times?: (S3Times & { sweep: number; retry: number }) | undefined;
}

const SWEEP_MS = 10 * 60_000;
const RETRY_MS = 30_000;
const REMOVAL_WAIT_MS = 1_000;
/** How long a shutdown waits for deletions; the next sweep does the rest. */
const CLOSE_MS = 2_000;
/** 10,000 parts are the most of an object. */
const PART_BYTES = 16 * 1024 * 1024;
/** The object that names the installation. */
const OWNER = '.muster';

/** Opens the store. A wrong setting stops the start; a store that does not answer is retried. */
export async function openS3Artifacts(options: S3ArtifactsOptions): Promise<ArtifactFiles> {
  const { store, dataDir, records, readOnly, times } = options;
  const { address } = store;
  const s3 = openS3Client(store, times);
  const unfinished = readOnly ? undefined : await openUnfinished(dataDir);
  if (!readOnly) emptyArriving(dataDir);

  const logged = openFaultLog();
  const faults = new Map<string, FileFault>();
  /** Objects of the right size whose content was wrong when it was last read. */
  const wrongBytes = new Set<string>();
  const found = (artifact: KnownFile, fault: FileFault | undefined) => {
    if (fault) {
      faults.set(artifact.id, fault);
      logged.note(artifact, fault, `${address}/${artifact.id}`);
    } else if (!wrongBytes.has(artifact.id)) {
      faults.delete(artifact.id);
      logged.forget(artifact.id);
    }
  };

  const claimed = openClaim(s3, options);
  const notes = [`Artifacts are stored in ${address}.`, ...noteOfFolder(dataDir, address)];
  try {
    await s3.check();
    await claimed();
  } catch (cause) {
    if (cause instanceof S3Fault && cause.isConfiguration)
      throw new ConfigError(`ARTIFACT_STORE_URL is ${address}, but that store ${cause.reason}.`);
    if (!(cause instanceof S3Fault)) throw cause;
    notes.push(`${address} ${cause.reason}. Until it answers, artifacts can be neither stored nor downloaded.`);
    log.warn(`The artifact store ${cause.reason}.`, { store: address });
  }

  let unknown = 0;
  const sweep = async (): Promise<void> => {
    await claimed();
    const count = await sweepObjects({ s3, address, records, unfinished, found });
    if (count > unknown)
      log.warn(
        `${count} objects in ${address} belong to no artifact in the database, which may be an older one, put back. They are left alone.`,
      );
    unknown = count;
    for (const artifact of await records.all()) if (wrongBytes.has(artifact.id)) await verify(artifact);
  };
  const sweeps = repeat(sweep, times?.sweep ?? SWEEP_MS, times?.retry ?? RETRY_MS);

  const read = async (artifact: KnownFile, part: ByteRange) => {
    const id = requireId(artifact.id);
    if (wrongBytes.has(id)) throw unusableFile(artifact, 'Damaged');
    return readObject(s3, artifact, part, (fault, isContent) => {
      if (isContent) wrongBytes.add(id);
      found(artifact, fault);
    });
  };

  /** Rereads an object with wrong bytes, because an operator may have replaced it. */
  const verify = async (artifact: KnownFile) => {
    const object = await s3.get(artifact.id);
    const digest = createHash('sha256');
    if (object) for await (const piece of object.bytes) digest.update(piece);
    if (digest.digest('hex') !== artifact.sha256) return;
    wrongBytes.delete(artifact.id);
    found(artifact, undefined);
  };

  const removing = new Set<Promise<void>>();
  return {
    notes,
    faultOf: ({ id }) => faults.get(id),
    receive: (bytes, limit) => receiveFile(dataDir, bytes, limit),

    store: async ({ file, sizeBytes, sha256 }, artifactId) => {
      await unfinished?.begin(artifactId).catch((cause: unknown) => {
        throw describeDiskError(cause);
      });
      await claimed();
      await putFile(s3, artifactId, { file, sizeBytes, sha256 });
      await rm(file, { force: true });
    },

    pieces: {
      put: async (uploadId, name, { file, sha256 }) => {
        const piece = pieceOf(uploadId, name);
        try {
          await claimed();
          await s3.put(piece, await openAsBlob(file), sha256).catch((cause: unknown) => {
            // It may be stored, although the answer is lost.
            void s3.remove(piece).catch(() => {});
            throw cause;
          });
        } finally {
          await rm(file, { force: true });
        }
      },
      async *read(uploadId, names) {
        for (const name of names) {
          const object = await s3.get(pieceOf(uploadId, name));
          if (!object) throw new Error(`A piece of the upload ${uploadId} is missing in the store`);
          yield* object.bytes;
        }
      },
      remove: async (uploadId, names) => {
        for (const name of names ?? []) await s3.remove(pieceOf(uploadId, name));
        if (names) return;
        for await (const { name } of s3.list(`uploads/${requireId(uploadId)}/`)) await s3.remove(name);
      },
    },

    discard: ({ file }) => rm(file, { force: true }),

    requireUsable: async (artifact) => {
      const size = await s3.sizeOf(requireId(artifact.id));
      const fault = size === undefined ? 'Missing' : size === artifact.sizeBytes ? undefined : 'Damaged';
      found(artifact, fault);
      const left = faults.get(artifact.id);
      if (left) throw unusableFile(artifact, left);
    },

    read,

    remove: async (artifactId) => {
      // Callers wait only briefly: the artifact is already deleted, and a sweep removes the object if this fails.
      const removal = s3
        .remove(requireId(artifactId))
        .catch((cause: unknown) => logFault(`artifact ${artifactId}: its object stays until the next sweep`, cause))
        .finally(() => removing.delete(removal));
      removing.add(removal);
      await Promise.race([removal, sleep(REMOVAL_WAIT_MS, undefined, { ref: false })]);
    },

    problem: async () => {
      try {
        await s3.check();
        await claimed();
        return undefined;
      } catch (cause) {
        if (!(cause instanceof S3Fault)) throw cause;
        return `can be neither stored nor downloaded: the store ${cause.reason}`;
      }
    },

    close: async () => {
      await Promise.race([Promise.all(removing), sleep(CLOSE_MS, undefined, { ref: false })]);
      s3.close();
      await sweeps.close();
    },
  };
}

const pieceOf = (uploadId: string, name: string) => `uploads/${requireId(uploadId)}/${requireId(name)}`;

/** Stores a file as an object; a large one in parts. It is read while it is sent, so that memory holds little of it. */
export async function putFile(s3: S3Client, name: string, { file, sizeBytes, sha256 }: Received): Promise<void> {
  const bytes = await openAsBlob(file);
  if (bytes.size !== sizeBytes) throw new Error(`The received file became ${sizeBytes - bytes.size} bytes shorter`);
  if (sizeBytes <= PART_BYTES) return s3.put(name, bytes, sha256);
  await s3.putParts(name, partsOf(bytes));
}

function* partsOf(bytes: Blob): Generator<Blob> {
  for (let at = 0; at < bytes.size; at += PART_BYTES) yield bytes.slice(at, at + PART_BYTES);
}

/** The id of the installation that owns the artifacts in the store. */
export async function ownerOf(s3: S3Client): Promise<string | undefined> {
  const object = await s3.get(OWNER);
  return object && (await text(object.bytes)).trim();
}

export async function claimStore(s3: S3Client, instanceId: string): Promise<void> {
  const bytes = Buffer.from(instanceId);
  await s3.put(OWNER, bytes, createHash('sha256').update(bytes).digest('hex'));
}

/** Claims the prefix: two installations that share one would mistake each other's artifacts for leftovers. */
function openClaim(s3: S3Client, { store, instanceId, readOnly }: S3ArtifactsOptions): () => Promise<void> {
  const claim = async () => {
    const owner = await ownerOf(s3);
    if (owner === undefined) {
      if (!readOnly) await claimStore(s3, instanceId);
    } else if (owner !== instanceId)
      throw new S3Fault(
        'configuration',
        `holds the artifacts of another Muster there: choose another prefix in ARTIFACT_STORE_URL, or, if they belong to this one with a new database, restore its backup or delete the object ${store.prefix}${OWNER}`,
      );
  };
  let claiming: Promise<void> | undefined;
  return () => {
    claiming ??= claim().catch((cause: unknown) => {
      claiming = undefined;
      throw cause;
    });
    return claiming;
  };
}

/** A note about artifacts that are still in the local folder. */
function noteOfFolder(dataDir: string, address: string): string[] {
  const folder = artifactFolder(dataDir);
  const isThere = statSync(folder, { throwIfNoEntry: false });
  const count = isThere ? readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()).length : 0;
  return count === 0
    ? []
    : [`${count} artifact files are still in ${folder}: copy them to ${address} (docs/artifact-store.md).`];
}

/** Runs now and then periodically, sooner after a failure. */
function repeat(run: () => Promise<void>, everyMs: number, retryMs: number) {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const runOnce = async () => {
    let next = everyMs;
    try {
      await run();
    } catch (cause) {
      if (isClosed) return;
      next = retryMs;
      logFault('artifacts: the store could not be compared with the database', cause);
    }
    if (!isClosed) timer = setTimeout(() => void (running = runOnce()), next).unref();
  };
  let running = runOnce();
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
