// Inspects archives beside the page, which stays free whatever they unpack to.
import { inspect } from './inspect-file.ts';
import type { ChosenFile, Inspection } from './inspect-file.ts';

export type ArchiveRequest = { inspect: ChosenFile };
export type ArchiveAnswer = { inspection: Inspection } | { fault: string };

async function answer(request: ArchiveRequest): Promise<ArchiveAnswer> {
  try {
    return { inspection: await inspect(request.inspect) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

self.addEventListener('message', ({ data }: MessageEvent<ArchiveRequest>) => {
  void answer(data).then((said) => self.postMessage(said));
});
