// Merging the pages of a search.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SearchHit } from '#/contract/archive.ts';
import { job } from '#/contract/jobs.ts';
import { mergedItems } from './archive.ts';

const hit = (Line: number): SearchHit => ({ JobId: 'c', DeviceName: 'd', In: 'Stdout', Line, Text: 'x' });
const item = (JobId: string, ...lines: number[]) => ({
  Job: job.parse({ JobId }),
  OutputBytes: 1,
  Hits: lines.map(hit),
});

test('a job on several search pages is one row with all of its hits', () => {
  const merged = mergedItems([{ ...item('a', 1), MoreHits: true }, item('b', 2), item('a', 3)]);
  assert.deepEqual(
    merged.map(({ Job: { JobId }, Hits, MoreHits }) => [JobId, Hits?.map(({ Line }) => Line), MoreHits]),
    [
      ['a', [1, 3], true],
      ['b', [2], undefined],
    ],
  );
});
