// Inspects and packs archives in a worker, so that the page stays responsive.
import { serve } from '#/lib/worker-client.ts';
import { packTar, type Source } from '#/pages/artifacts/builder/pack-tar.ts';
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
  files: Source[];
  /** An artifact must be smaller. */
  limit: number;
}

/** A packed archive. One that became too large has no content, and was not inspected. */
export interface Packed {
  size: number;
  content: Blob | undefined;
  inspection: Inspection | undefined;
}

async function pack({ name, folder, files, limit }: PackRequest): Promise<Packed> {
  const { content, size } = await packTar(folder, files, limit - 1);
  return { size, content, inspection: content && (await inspect({ name, type: 'tar.gz', size, content }, limit)) };
}

serve(async (request: InspectRequest | PackRequest) =>
  'folder' in request ? pack(request) : inspect(request.file, request.limit),
);
