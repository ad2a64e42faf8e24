// A separate file system for the service's data, small enough to fill. It needs the right to mount one (root on Linux);
// without it the run skips the full disk, and reports that.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Ten minutes of writes on an idle machine take about 100 MB, which alone must not fill it. */
const SIZE_MB = 256;

export interface SmallDisk {
  folder: string;
  fill(): void;
  free(): void;
  unmount(): void;
}

/** Mounts it at `folder`; undefined if that is not allowed. */
export function mountSmallDisk(folder: string): SmallDisk | undefined {
  mkdirSync(folder, { recursive: true });
  const run = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
  if (!run('mount', '-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=0700`, 'muster-chaos', folder)) return undefined;
  const filler = (n: number) => path.join(folder, `filler-${n}`);
  let fillers = 0;
  return {
    folder,
    fill: () => {
      // Smaller and smaller files, until no page is left.
      for (let size = 8 * 1024 * 1024; size >= 4096;)
        try {
          writeFileSync(filler(fillers), Buffer.alloc(size, 1));
          fillers += 1;
        } catch {
          rmSync(filler(fillers), { force: true });
          size /= 2;
        }
    },
    free: () => {
      for (; fillers > 0; fillers -= 1) rmSync(filler(fillers - 1), { force: true });
    },
    unmount: () => void (run('umount', folder) || run('umount', '-l', folder)),
  };
}
