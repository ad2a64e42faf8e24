// Copies the bytes of all artifacts, and reads each of them back.
import { ConfigError } from '../config-error.ts';
import type { KnownFile } from '../store/artifact-files.ts';
import type { ArtifactSource, ArtifactTarget } from './artifact-places.ts';
import type { Report } from './copy-tables.ts';

const REPORT_EVERY_MS = 5_000;

/** Copies and checks; names all artifacts whose bytes are not those that were uploaded. */
export async function copyArtifacts(
  artifacts: KnownFile[],
  from: ArtifactSource,
  to: ArtifactTarget,
  report: Report,
): Promise<void> {
  const faults: string[] = [];
  let last = performance.now();
  for (const [index, artifact] of artifacts.entries()) {
    const { id, name, version } = artifact;
    const bytes = await from.read(artifact);
    if (typeof bytes === 'string') {
      faults.push(`${name} ${version} (${id}, ${bytes.toLowerCase()})`);
      continue;
    }
    if (faults.length > 0) continue;
    await to.write(artifact, bytes);
    const copy = await to.read(artifact);
    if (typeof copy === 'string')
      throw new ConfigError(
        `The artifact ${name} ${version} (${id}) is ${copy.toLowerCase()} in ${to.address} after it was copied. Run the move again.`,
      );
    if (performance.now() - last > REPORT_EVERY_MS) {
      last = performance.now();
      report(`Copying artifacts: ${index + 1} of ${artifacts.length}`);
    }
  }
  if (faults.length > 0)
    throw new ConfigError(
      `${from.address} has not the files of all artifacts: ${faults.join(', ')}. Start the service there, delete or upload these artifacts again, then run the move again.`,
    );
  if (artifacts.length > 0) report(`Copied and checked the artifacts: ${artifacts.length} files`);
}
