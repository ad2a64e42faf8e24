// Inspects and packs archives in a worker, so that the page stays responsive.
import { serve } from '#/lib/worker-client.ts';
import { ARTIFACT_BYTES_LIMIT } from '#/contract/limits.ts';
import { packTar } from '#/pages/artifacts/builder/pack-tar.ts';
import { inspect, type ChosenFile, type Inspection } from './inspect-file.ts';

/** Whether the file is a usable artifact, which must be smaller than the limit. */
export interface InspectRequest {
  file: ChosenFile;
  limit: number;
}

export interface PackRequest {
  /** The file that is made, and the folder in it. */
  name: string;
  folder: string;
  files: { path: string; runs: boolean; content: Blob }[];
}

/** A packed archive. One that became too large has no bytes, and was not inspected. */
export interface Packed {
  size: number;
  bytes: Uint8Array<ArrayBuffer> | undefined;
  inspection: Inspection | undefined;
}

async function read(path: string, content: Blob): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await content.arrayBuffer());
  } catch {
    throw new Error(`${path} cannot be read: it was changed or removed meanwhile. Choose the files again.`);
  }
}

async function pack({ name, folder, files }: PackRequest): Promise<Packed> {
  const sources = files.map(({ path, runs, content }) => ({ path, runs, read: () => read(path, content) }));
  const { bytes, size } = await packTar(folder, sources, ARTIFACT_BYTES_LIMIT - 1);
  return { size, bytes, inspection: bytes && (await inspectBuilt(name, bytes)) };
}

const inspectBuilt = (name: string, bytes: Uint8Array<ArrayBuffer>) =>
  inspect({ name, type: 'tar.gz', size: bytes.length, content: new Blob([bytes]) }, ARTIFACT_BYTES_LIMIT);

serve(async (request: InspectRequest | PackRequest) =>
  'folder' in request ? pack(request) : inspect(request.file, request.limit),
);
