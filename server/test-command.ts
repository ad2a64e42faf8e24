// For tests of generated Commands: a shell to run them in, PATHs with only a few tools, and artifacts to download.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { tar } from '#/contract/test-tar.ts';
import type { TestEntry } from '#/contract/test-tar.ts';
import type { CommandSource } from './jobs/artifact-command.ts';

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

const usual = process.env['PATH'] ?? '';

/** The path of a tool; undefined if this machine has none. */
export const where = (tool: string): string | undefined => {
  try {
    return execFileSync('/bin/sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
};
/** The shells of this machine that run Commands; /bin/sh differs between systems. */
export const SHELLS = [['/bin/sh'], ['dash'], ['busybox', 'sh']].filter(([name = ''], index) => {
  const found = where(name);
  return found !== undefined && (index === 0 || realpathSync(found) !== realpathSync('/bin/sh'));
});
/** The programs of this machine that download. */
export const FETCHERS = ['curl', 'wget'].filter((tool) => where(tool) !== undefined);

/** A home folder with a temporary and a current folder in it. */
export class CommandTest {
  readonly home = mkdtempSync(path.join(tmpdir(), "muster command's-"));
  readonly temporary = path.join(this.home, 'tmp');
  readonly cwd = path.join(this.home, 'cwd');
  /** The bytes of the last artifact. */
  served: Buffer | undefined;

  /** Empties the temporary and the current folder. */
  clear(): void {
    for (const folder of [this.temporary, this.cwd]) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
    }
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }

  /** A PATH of the named tools, besides what every system has. */
  pathOf(...tools: string[]): string {
    const folder = mkdtempSync(path.join(this.home, 'bin-'));
    const basic = ['sh', 'cat', 'chmod', 'gzip', 'mkdir', 'mktemp', 'mv', 'rm', 'sleep', 'tar', 'ls', 'wc'];
    for (const tool of [...tools, ...basic]) {
      const found = where(tool);
      if (found) symlinkSync(found, path.join(folder, tool));
    }
    return folder;
  }

  run(command: string, { tools = usual, env = {}, shell = ['/bin/sh'] } = {}): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const [program = '', ...args] = shell;
      const child = spawn(where(program) ?? program, [...args, '-c', command], {
        cwd: this.cwd,
        env: { PATH: tools, HOME: this.home, TMPDIR: this.temporary, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [stdout, stderr] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
      child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
      child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
    });
  }

  source(bytes: Buffer, more: Partial<CommandSource> = {}): CommandSource {
    this.served = bytes;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return {
      name: 'app.tar.gz',
      sha256,
      sizeBytes: bytes.length,
      unpackedBytes: 0,
      isScript: false,
      destination: '',
      runCommand: '',
      folder: '',
      ...more,
    };
  }

  /** An archive with an update.sh of this text. */
  packed(body: string, folder = '', ...others: TestEntry[]): CommandSource {
    const update = { path: path.posix.join(folder, 'update.sh'), body, mode: 0o644 };
    return this.source(gzipSync(tar(update, ...others)), { folder });
  }

  script(more: Partial<CommandSource> = {}): CommandSource {
    return this.source(Buffer.from('#!/bin/sh\necho "ran $0 with $# of $1"\nexit 5\n'), {
      name: 'x.sh',
      isScript: true,
      destination: path.join(this.home, 'to'),
      runCommand: './x.sh one',
      ...more,
    });
  }
}
