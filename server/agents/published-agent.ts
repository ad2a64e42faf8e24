// The agent's program as this service publishes it at /agent.mjs: its bytes, hash and version. Read again when the file
// changes, so that a new build takes effect without a restart.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { Unavailable } from '../store/errors.ts';

export interface AgentProgram {
  bytes: Buffer<ArrayBuffer>;
  /** In hexadecimal. */
  sha256: string;
  /** What it prints for `--version`; fails where it can't be run. */
  version(): Promise<string>;
}

export interface PublishedAgent {
  /** Undefined while there is no build. */
  program: () => AgentProgram | undefined;
}

export function openPublishedAgent(file: string): PublishedAgent {
  let stamp = '';
  let program: AgentProgram | undefined;
  return {
    program: () => {
      const stat = statSync(file, { throwIfNoEntry: false });
      if (!stat) return undefined;
      const now = `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
      if (now !== stamp) {
        program = readProgram(file);
        stamp = now;
      }
      return program;
    },
  };
}

/** The program; fails with what to do where there is none. */
export function requireProgram(published: PublishedAgent): AgentProgram {
  const program = published.program();
  if (program) return program;
  throw new Unavailable('The agent is not built yet', 'Run "npm run build" where the service runs, then try again.', {
    retryAfterSeconds: 60,
  });
}

function readProgram(file: string): AgentProgram {
  const bytes = readFileSync(file);
  let version: Promise<string> | undefined;
  return {
    bytes,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    version: () => (version ??= readVersion(file)),
  };
}

async function readVersion(file: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [file, '--version'], { timeout: 20_000 });
    return stdout.trim().slice(0, 255);
  } catch {
    throw new Unavailable(
      'The published agent cannot be run',
      'Run "npm run build" where the service runs, then try again.',
    );
  }
}
