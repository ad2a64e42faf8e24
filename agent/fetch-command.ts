// What a job finds in MUSTER_FETCH on a device that has neither curl nor wget: a program that takes an address and a
// file. It is this agent again, as `agent.mjs fetch URL FILE`.
import { createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Downloads a file. The exit code is 1 for whatever went wrong, with the reason on stderr. */
export async function runFetch([url, file]: string[]): Promise<number> {
  const complain = (text: string) => {
    process.stderr.write(`muster-agent fetch: ${text}\n`);
    return 1;
  };
  if (!url || !file || !URL.canParse(url)) return complain('needs an address and a file: fetch URL FILE');
  try {
    const response = await fetch(url);
    if (!response.ok || !response.body)
      return complain(`the service answered ${response.status} ${response.statusText}`);
    await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
    return 0;
  } catch (error) {
    const { cause, message } = error as Error;
    return complain(cause instanceof Error ? cause.message : message);
  }
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Writes the program into this folder and returns its path; `command` starts the agent. */
export function fetchProgram(folder: string, command: string[]): string {
  const program = path.join(folder, 'muster-fetch');
  const text = `#!/bin/sh\nexec ${command.map(quote).join(' ')} fetch "$@"\n`;
  if (!existsSync(program) || readFileSync(program, 'utf8') !== text) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Moved into place: a job that is just using it must not see half of it.
    const draft = `${program}.${process.pid}`;
    writeFileSync(draft, text, { mode: 0o755 });
    renameSync(draft, program);
  }
  return program;
}
