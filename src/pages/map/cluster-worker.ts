// Sorts points along the curve away from the page, so that it never stands still for a large fleet. The sorted
// arrays are handed over, not copied.
import { buildCurve } from './cluster-index.ts';
import type { CurveArrays, Points } from './cluster-index.ts';

export interface CurveRequest {
  id: number;
  points: Points;
}
export interface CurveAnswer {
  id: number;
  curve: CurveArrays;
}

self.addEventListener('message', ({ data: { id, points } }: MessageEvent<CurveRequest>) => {
  const curve = buildCurve(points);
  const { rows, kinds, codes, sumX, sumY } = curve;
  const answer: CurveAnswer = { id, curve };
  self.postMessage(answer, { transfer: [rows, kinds, codes, sumX, sumY].map(({ buffer }) => buffer) });
});
