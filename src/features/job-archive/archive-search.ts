// Finds a text in the names, the devices and the output of an archived job. The letter case does not matter.
import type { Job } from '#/contract/jobs.ts';
import { outputOf } from '#/features/jobs/job-output.ts';

/** The first line with the text in the output of one device. */
export interface LogHit {
  row: number;
  device: string;
  stream: string;
  /** From 1. */
  line: number;
  text: string;
}

/** What was found in one archived job. */
export interface ArchiveHit {
  id: string;
  /** In its name or target. */
  named: boolean;
  /** Devices with the text in their name. */
  devices: number;
  /** Devices with the text in their output. */
  logs: number;
  /** Of some of those. */
  lines: LogHit[];
}

/** Lines shown of one job. */
const MOST_LINES = 3;
const LONGEST_LINE = 240;

export const foldCase = (text: string): string => text.toLowerCase();

/** The line at an offset, shortened around it. */
function lineAround(text: string, at: number, length: number): { line: number; text: string } {
  let line = 1;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) line++;
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const next = text.indexOf('\n', at);
  const end = next === -1 ? text.length : next;
  const from = Math.max(start, at - Math.floor((LONGEST_LINE - length) / 3));
  const shown = text.slice(from, Math.min(end, from + LONGEST_LINE));
  return { line, text: `${from > start ? '…' : ''}${shown}${end > from + LONGEST_LINE ? '…' : ''}` };
}

function hitIn(job: Job, row: number, needle: string): LogHit | undefined {
  const device = job.DeviceName || job.DeviceId;
  const { streams, reason } = outputOf(job);
  for (const { name, text } of [...streams, { name: 'result', text: reason }]) {
    const folded = foldCase(text);
    const at = folded.indexOf(needle);
    if (at === -1) continue;
    // Folding makes some letters two: the offset is then only valid in the folded text.
    return {
      row,
      device,
      stream: name,
      ...lineAround(folded.length === text.length ? text : folded, at, needle.length),
    };
  }
  return undefined;
}

/** Looks through one archived job, part by part. `words`: its name and target. */
export class JobSearch {
  readonly hit: ArchiveHit;
  private readonly needle: string;

  constructor(id: string, needle: string, words: readonly string[]) {
    this.needle = needle;
    const named = words.some((word) => foldCase(word).includes(needle));
    this.hit = { id, named, devices: 0, logs: 0, lines: [] };
  }

  devices(rows: readonly Job[]): void {
    this.hit.devices = rows.filter(({ DeviceName = '', DeviceId }) =>
      foldCase(`${DeviceName}\n${DeviceId}`).includes(this.needle),
    ).length;
  }

  /** `first`: index of the first of these rows in the job. */
  output(rows: readonly Job[], first: number): void {
    for (const [index, job] of rows.entries()) {
      const found = hitIn(job, first + index, this.needle);
      if (!found) continue;
      this.hit.logs++;
      if (this.hit.lines.length < MOST_LINES) this.hit.lines.push(found);
    }
  }

  get found(): boolean {
    return this.hit.named || this.hit.devices > 0 || this.hit.logs > 0;
  }
}
