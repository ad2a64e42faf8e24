// Node.js for devices that have none, as this service publishes it: for each platform one file, compressed by
// scripts/runtime-files.ts. The folder is read at each request, so that another platform needs no restart.
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface Runtime {
  /** As Node.js names it: `linux-x64`. */
  platform: string;
  version: string;
  /** The name in its folder, and below RUNTIME_PATH. */
  name: string;
  file: string;
  /** Of the compressed file. */
  size: number;
  sha256: string;
}

export interface PublishedRuntimes {
  /** One for each platform, by its name. */
  all: () => Promise<Runtime[]>;
}

const NAME = /^node-(\d+\.\d+\.\d+)-(linux-(?:x64|arm64))\.gz$/;

export function openPublishedRuntimes(folder: string): PublishedRuntimes {
  /** By name, inode, size and time of change. */
  const hashes = new Map<string, Promise<string>>();
  const hashOf = (stamp: string, file: string) => {
    const known = hashes.get(stamp) ?? hashFile(file);
    hashes.set(stamp, known);
    // A file that cannot be read now may be readable later.
    known.catch(() => hashes.delete(stamp));
    return known;
  };

  return {
    all: async () => {
      const found = listNames(folder).flatMap((name) => {
        const [, version, platform] = NAME.exec(name) ?? [];
        const file = path.join(folder, name);
        const stat = statSync(file, { throwIfNoEntry: false });
        return version !== undefined && platform !== undefined && stat
          ? [
              {
                platform,
                version,
                name,
                file,
                size: stat.size,
                stamp: `${name} ${stat.ino} ${stat.size} ${stat.mtimeMs}`,
              },
            ]
          : [];
      });
      // Of two versions the newer one counts.
      found.sort((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }));
      const newest = [...new Map(found.map((one) => [one.platform, one])).values()];
      newest.sort((a, b) => a.platform.localeCompare(b.platform));
      return Promise.all(newest.map(async ({ stamp, ...one }) => ({ ...one, sha256: await hashOf(stamp, one.file) })));
    },
  };
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // none was packed
  }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
