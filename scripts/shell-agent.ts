// The agent of plain sh as one file: the script with the parts that it reads from beside it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (name: string) => readFileSync(join(import.meta.dirname, '../agent/sh', name), 'utf8');
/** The lines that read the parts. */
const PARTS = ['supervise.sh', 'keys.sh'].map((name) => ({ name, line: `. "\${self%/*}/${name}"\n` }));

export function shellAgent(): string {
  let script = read('muster-agent.sh');
  for (const { name, line } of PARTS) {
    if (!script.includes(line)) throw new Error(`agent/sh/muster-agent.sh no longer reads ${name} in the known way.`);
    script = script.replace(line, () => read(name));
  }
  return script;
}
