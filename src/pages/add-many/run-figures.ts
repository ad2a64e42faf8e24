// A run in figures and words: how far it is, why it ended, the result of each row.
import { counted, formatCount } from '#/lib/format.ts';
import type { Ending, RunEntry, RunView, Step } from './run-entry.ts';

type RunFigures = ReturnType<typeof figuresOf>;

/** `settled`: finished, one way or the other. `editable`: rows that are no devices and can be edited. */
export function figuresOf(entries: readonly RunEntry[]) {
  const figures = { total: entries.length, created: 0, settled: 0, failed: 0, keyLost: 0, waiting: 0, editable: 0 };
  for (const { state, id, keyLost, unanswered } of entries) {
    if (id !== undefined) figures.created++;
    else if (!unanswered && state !== 'working') figures.editable++;
    if (state === 'done' || state === 'failed') figures.settled++;
    if (state === 'failed') figures.failed++;
    if (state === 'waiting') figures.waiting++;
    if (keyLost) figures.keyLost++;
  }
  return figures;
}

export const hasProblem = ({ state, keyLost, faults }: RunEntry): boolean =>
  state === 'failed' || keyLost || faults.length > 0;

const FAILED: Record<Step, string> = {
  create: 'Not created',
  details: 'Customer and site not set',
  location: 'Location not set',
  tags: 'Tags not set',
  key: 'No new key',
};

export const faultLines = ({ faults, tags }: RunEntry): string[] =>
  faults.map(({ step, text }) => `${FAILED[step]}${step === 'tags' ? ` (${tags.join(', ')})` : ''}: ${text}`);

export function entryState(entry: RunEntry): { mark: string; words: string } {
  const { state, id, keyLost } = entry;
  if (state === 'working') return { mark: 'Running', words: id === undefined ? 'Creating' : 'Created, going on' };
  if (keyLost) return { mark: 'Interrupted', words: 'Created, key lost' };
  if (state === 'done') return { mark: 'Succeeded', words: 'Created' };
  if (state === 'failed') return { mark: 'Failed', words: id === undefined ? 'Not created' : 'Created, not complete' };
  return { mark: 'Waiting', words: id === undefined ? 'Waiting' : 'Created, not complete' };
}

export function runText({ running, pausing }: RunView, { total, created, failed, waiting }: RunFigures): string {
  const done = `${formatCount(created)} of ${counted(total, 'device')} created`;
  const trouble = failed > 0 ? `, ${formatCount(failed)} with a problem` : '';
  if (running) return `${done}${trouble}${pausing ? '. The service asked for a pause' : ''}`;
  return `${done}${trouble}${waiting > 0 ? `, ${formatCount(waiting)} waiting` : ''}`;
}

export function endingText(ending: Ending, { created, total, waiting }: RunFigures): string {
  const so = `${formatCount(created)} of ${counted(total, 'device')} ${created === 1 ? 'was' : 'were'} created`;
  const rest = `${formatCount(waiting)} ${waiting === 1 ? 'waits' : 'wait'}`;
  switch (ending.reason) {
    case 'licence':
      return `Device limit reached. ${so}, ${rest}. ${ending.text}`;
    case 'signed-out':
      return `The session has ended. ${so}, ${rest}. Sign in again, then continue.`;
    case 'stopped':
      return `Stopped. ${so}, ${rest}.`;
  }
}
