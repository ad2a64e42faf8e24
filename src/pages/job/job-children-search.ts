// Searches the names and outputs of a job's devices in short tasks: ten thousand outputs are megabytes.
import { useEffect, useState } from 'react';
import type { Job } from '#/contract/jobs.ts';
import { runChunked } from '#/lib/pace.ts';
import { plainLines } from '#/features/failure-groups/plain-lines.ts';

/** The matching devices, each with the matching line of its output; an empty line if the name matches. */
type Matches = ReadonlyMap<Job, string>;

/** Rows per step. */
const STEP = 50;
/** Characters before and after a match that are searched for the ends of its line. */
const AROUND = 600;

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

function lineAround(text: string, at: number): string {
  const from = Math.max(text.lastIndexOf('\n', at - 1) + 1, at - AROUND);
  const end = text.indexOf('\n', at);
  return plainLines(text.slice(from, Math.min(end < 0 ? text.length : end, at + AROUND))).join(' ');
}

export function* searchSteps(rows: readonly Job[], text: string): Generator<void, Matches> {
  const found = new Map<Job, string>();
  const pattern = new RegExp(escaped(text), 'iu');
  for (const [nth, job] of rows.entries()) {
    const { DeviceName = '', DeviceId, Stdout, Stderr, Result } = job;
    if (pattern.test(DeviceName) || pattern.test(DeviceId)) found.set(job, '');
    else
      for (const output of [Stderr, Stdout, Result]) {
        const match = output ? pattern.exec(output) : null;
        if (!output || !match) continue;
        found.set(job, lineAround(output, match.index));
        break;
      }
    if (nth % STEP === STEP - 1) yield;
  }
  return found;
}

/** Undefined without a search text. While rows are searched, the previous matches remain. */
export function useChildSearch(rows: readonly Job[], text: string): Matches | undefined {
  const [found, setFound] = useState<{ text: string; matches: Matches }>();
  const wanted = text.trim();
  useEffect(() => {
    if (wanted === '') return;
    let live = true;
    void runChunked(searchSteps(rows, wanted)).then((matches) => {
      if (live) setFound({ text: wanted, matches });
    });
    return () => {
      live = false;
    };
  }, [rows, wanted]);
  return wanted === '' ? undefined : found?.matches;
}
