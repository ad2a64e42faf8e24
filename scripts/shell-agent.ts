// The agent of plain sh as one file: the script with the part that it reads from beside it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (name: string) => readFileSync(join(import.meta.dirname, '../agent/sh', name), 'utf8');
const BESIDE = '. "${self%/*}/supervise.sh"\n';

export function shellAgent(): string {
  const script = read('muster-agent.sh');
  if (!script.includes(BESIDE))
    throw new Error('agent/sh/muster-agent.sh no longer reads supervise.sh in the known way.');
  return script.replace(BESIDE, () => read('supervise.sh'));
}
