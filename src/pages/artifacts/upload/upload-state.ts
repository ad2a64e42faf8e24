// The texts about queued files: the state of one in a word, and the whole queue in a sentence.
import { formatCount } from '#/lib/format.ts';
import { refuses, type Finding } from '#/pages/artifacts/inspect/finding.ts';
import { percentOf } from './transfer.ts';
import { fieldFaults } from './upload-fields.ts';
import type { QueuedFile } from './upload-queue.ts';

export type UploadState =
  | 'Checking'
  | 'Has errors'
  | 'Fields required'
  | 'Ready'
  | 'Queued'
  | 'Sending'
  | 'Paused'
  | 'Stored'
  | 'Failed'
  | 'Cancelled';

/** A queued file with all its findings. */
export interface JudgedFile extends QueuedFile {
  findings: Finding[] | undefined;
  state: UploadState;
  /** Required fields that are empty or cannot be used. */
  faults: number;
}

/** `further`: findings from the account and the registry. */
export function judgeFile(item: QueuedFile, further: (item: QueuedFile) => Finding[]): JudgedFile {
  const findings = item.checked && [...item.checked.findings, ...further(item)];
  const faults = Object.keys(fieldFaults(item.file, item.fields)).length;
  return { ...item, findings, faults, state: stateOf(item, findings, faults) };
}

function stateOf({ stage }: QueuedFile, findings: Finding[] | undefined, faults: number): UploadState {
  switch (stage.name) {
    case 'waiting':
      return 'Queued';
    case 'sending':
      return 'Sending';
    case 'paused':
      return 'Paused';
    case 'stored':
      return 'Stored';
    case 'idle':
    case 'cancelled':
    case 'failed':
      if (!findings) return 'Checking';
      if (refuses(findings)) return 'Has errors';
      if (stage.name === 'failed') return 'Failed';
      if (stage.name === 'cancelled') return 'Cancelled';
      return faults > 0 ? 'Fields required' : 'Ready';
  }
}

/** Whether "Upload all" includes it. A failed or cancelled file is only sent again by its own button. */
export const isReady = ({ state }: JudgedFile): boolean => state === 'Ready';

const QUARTER = 25;

/** For screen readers: changes when a file ends and at each quarter of one under way, not with each percent. */
export function spokenSummary(items: readonly JudgedFile[]): string {
  if (items.every(({ stage }) => stage.name === 'idle')) return '';
  const countOf = (state: UploadState) => items.filter((item) => item.state === state).length;
  const counts = (['Failed', 'Cancelled', 'Paused', 'Queued'] as const).flatMap((state) =>
    countOf(state) > 0 ? [`${formatCount(countOf(state))} ${state.toLowerCase()}`] : [],
  );
  const sending = items.flatMap(({ file, stage }) =>
    stage.name === 'sending'
      ? [`${file.name}: ${Math.floor(percentOf(stage.transfer) / QUARTER) * QUARTER} % sent`]
      : [],
  );
  const stored = `${formatCount(countOf('Stored'))} of ${formatCount(items.length)} stored`;
  return [...sending, [stored, ...counts].join(', ')].join('. ');
}
