// Programs that a job's Command finds in its environment: this agent again, as `agent.mjs fetch` and `agent.mjs check`.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Writes the programs into this folder and returns their paths by the names of variables; `command` starts the agent. */
export function jobPrograms(folder: string, command: string[]): { MUSTER_FETCH: string; MUSTER_CHECK: string } {
  const write = (name: string) => {
    const program = path.join(folder, `muster-${name}`);
    const text = `#!/bin/sh\nexec ${command.map(quote).join(' ')} ${name} "$@"\n`;
    if (!existsSync(program) || readFileSync(program, 'utf8') !== text) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Moved into place: a job that is just using it must not see half of it.
      const draft = `${program}.${process.pid}`;
      writeFileSync(draft, text, { mode: 0o755 });
      renameSync(draft, program);
    }
    return program;
  };
  return { MUSTER_FETCH: write('fetch'), MUSTER_CHECK: write('check') };
}
