// Where the bytes of artifacts are, or are to be: a data folder or an S3 store. Each is read whole, because an artifact
// is small (artifact-limit.ts), and compared with the size and the SHA-256 that the tables have.
import { hash } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../config-error.ts';
import { systemCode } from '../store/system-fault.ts';
import type { S3Config } from '../s3-config.ts';
import { artifactFolder, requireId, syncFolder } from '../store/artifact-files.ts';
import type { FileFault, KnownFile } from '../store/artifact-files.ts';
import { OWNER } from '../store/s3-artifacts.ts';
import { openS3Client } from '../store/s3-client.ts';
import type { S3Client, S3Times } from '../store/s3-client.ts';
import { readObject } from '../store/s3-read.ts';
import { UNFINISHED_OWNER } from '../store/unfinished-move.ts';
import type { FolderTarget } from './folder-target.ts';
import { at } from './move-fault.ts';

export interface ArtifactSource {
  address: string;
  /** The bytes of an artifact, or what is wrong with them. */
  read(artifact: KnownFile): Promise<Uint8Array | FileFault>;
  close(): void;
}

export interface ArtifactTarget extends ArtifactSource {
  /** Whether it holds what an unfinished move left. */
  readonly isUnfinished: boolean;
  /** Marks it as unfinished, and removes what is there. */
  begin(): Promise<void>;
  write(artifact: KnownFile, bytes: Uint8Array): Promise<void>;
  complete(): Promise<void>;
}

const checked = (bytes: Uint8Array, { sizeBytes, sha256 }: KnownFile): Uint8Array | FileFault =>
  bytes.length === sizeBytes && hash('sha256', bytes) === sha256 ? bytes : 'Damaged';

async function readFrom(folder: string, artifact: KnownFile): Promise<Uint8Array | FileFault> {
  try {
    return checked(await readFile(path.join(folder, requireId(artifact.id))), artifact);
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return 'Missing';
    throw cause;
  }
}

export const openFolderSource = (dataDir: string): ArtifactSource => ({
  address: dataDir,
  read: (artifact) => at(dataDir, () => readFrom(artifactFolder(dataDir), artifact)),
  close: () => {},
});

/** `hasTables`: the tables come to the same folder, and complete it. */
export function openFolderArtifacts(target: FolderTarget, { hasTables }: { hasTables: boolean }): ArtifactTarget {
  const address = target.folder;
  const folder = target.path('artifacts');
  return {
    address,
    isUnfinished: target.unfinished !== undefined,
    begin: () =>
      at(address, async () => {
        if (!hasTables) await target.begin(address);
        await mkdir(folder, { mode: 0o700 });
      }),
    write: ({ id }, bytes) =>
      at(address, async () => {
        const handle = await open(path.join(folder, requireId(id)), 'wx', 0o600);
        try {
          await handle.writeFile(bytes);
          await handle.sync();
        } finally {
          await handle.close();
        }
      }),
    read: (artifact) => at(address, () => readFrom(folder, artifact)),
    complete: () =>
      at(address, async () => {
        await syncFolder(folder);
        if (!hasTables) await target.complete();
      }),
    close: () => {},
  };
}

function readerOf(s3: S3Client, address: string): ArtifactSource {
  return {
    address,
    read: (artifact) =>
      at(address, async () => {
        let fault: FileFault | undefined;
        const pieces: Uint8Array[] = [];
        try {
          const part = { start: 0, end: artifact.sizeBytes - 1 };
          const bytes = await readObject(
            s3,
            { ...artifact, id: requireId(artifact.id) },
            part,
            (found) => (fault = found),
          );
          for await (const piece of bytes) pieces.push(piece);
        } catch (cause) {
          if (fault) return fault;
          throw cause;
        }
        return checked(Buffer.concat(pieces), artifact);
      }),
    close: () => s3.close(),
  };
}

export const openS3Source = (config: S3Config, times?: S3Times): ArtifactSource =>
  readerOf(openS3Client(config, times), config.address);

/** `isLeftover`: the tables' target says that an unfinished move stored its artifacts there. */
export async function openS3Target(
  config: S3Config,
  { instanceId, isLeftover, times }: { instanceId: string; isLeftover: boolean; times?: S3Times | undefined },
): Promise<ArtifactTarget> {
  const { address } = config;
  const s3 = openS3Client(config, times);
  const setOwner = async (text: string) => {
    const bytes = Buffer.from(text);
    await s3.put(OWNER, bytes, hash('sha256', bytes));
  };
  const isUnfinished = await at(address, async () => {
    await s3.check();
    const owner = await ownerOf(s3);
    if (owner?.startsWith(UNFINISHED_OWNER)) return true;
    if (owner === instanceId && isLeftover) return true;
    for await (const { name } of s3.list())
      throw new ConfigError(
        `${address} is not empty (it holds ${name}): name another prefix with --to, or delete what is below this one.`,
      );
    return false;
  });
  return {
    ...readerOf(s3, address),
    isUnfinished,
    begin: () =>
      at(address, async () => {
        await setOwner(`${UNFINISHED_OWNER}${instanceId}`);
        for await (const { name } of s3.list()) if (name !== OWNER) await s3.remove(name);
      }),
    write: ({ id, sha256 }, bytes) => at(address, () => s3.put(requireId(id), bytes, sha256)),
    complete: () => at(address, () => setOwner(instanceId)),
  };
}

async function ownerOf(s3: S3Client): Promise<string | undefined> {
  const object = await s3.get(OWNER);
  if (!object) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of object.bytes) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8').trim();
}
