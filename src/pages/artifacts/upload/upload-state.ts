// The texts about queued files: the state of one in a word, and the whole queue in a sentence.
import { formatCount } from '#/lib/format.ts';
import { refuses, type Finding } from '#/pages/artifacts/inspect/finding.ts';
import { percentOf } from './transfer.ts';
import { fieldFaults } from './upload-fields.ts';
import type { QueuedFile } from './upload-queue.ts';

export type UploadState =
  | 'Checking'
  | 'Has errors'
  | 'Fields missing'
  | 'Ready'
  | 'Waiting for its turn'
  | 'Sending'
  | 'Looking'
  | 'Stored'
  | 'Failed'
  | 'Cancelled';

/** A queued file with all that speaks for and against sending it. */
export interface JudgedFile extends QueuedFile {
  findings: Finding[] | undefined;
  state: UploadState;
}

/** `further`: findings by the account and the registry. */
export function judgeFile(item: QueuedFile, further: (item: QueuedFile) => Finding[]): JudgedFile {
  const findings = item.checked && [...item.checked.findings, ...further(item)];
  return { ...item, findings, state: stateOf(item, findings) };
}

function stateOf({ stage, file, fields }: QueuedFile, findings: Finding[] | undefined): UploadState {
  switch (stage.name) {
    case 'waiting':
      return 'Waiting for its turn';
    case 'sending':
      return 'Sending';
    case 'looking':
      return 'Looking';
    case 'stored':
      return 'Stored';
    case 'idle':
    case 'cancelled':
    case 'failed':
      if (!findings) return 'Checking';
      if (refuses(findings)) return 'Has errors';
      if (stage.name === 'failed') return 'Failed';
      if (stage.name === 'cancelled') return 'Cancelled';
      return Object.keys(fieldFaults(file, fields)).length > 0 ? 'Fields missing' : 'Ready';
  }
}

/** Whether "Upload all" takes it: what failed or was cancelled is sent again only by its own button. */
export const isReady = ({ state }: JudgedFile): boolean => state === 'Ready';

const QUARTER = 25;

/** For screen readers: changes when a file ends and at each quarter of one under way, not with each percent. */
export function spokenSummary(items: readonly JudgedFile[]): string {
  if (items.every(({ stage }) => stage.name === 'idle')) return '';
  const countOf = (state: UploadState) => items.filter((item) => item.state === state).length;
  const counts = (['Failed', 'Cancelled', 'Waiting for its turn'] as const).flatMap((state) =>
    countOf(state) > 0 ? [`${formatCount(countOf(state))} ${state.toLowerCase().replace(' for its turn', '')}`] : [],
  );
  const sending = items.flatMap(({ file, stage }) =>
    stage.name === 'sending'
      ? [`${file.name}: ${Math.floor(percentOf(stage.transfer) / QUARTER) * QUARTER} % sent`]
      : [],
  );
  const stored = `${formatCount(countOf('Stored'))} of ${formatCount(items.length)} stored`;
  return [...sending, [stored, ...counts].join(', ')].join('. ');
}
