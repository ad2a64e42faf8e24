// Sorts the points of a large fleet in a worker, so that the page never freezes. The arrays are transferred, not copied.
import { serve } from '#/lib/worker-client.ts';
import { buildCurve } from './cluster-index.ts';

serve(buildCurve, ({ rows, kinds, codes, sumX, sumY }) => [rows, kinds, codes, sumX, sumY].map(({ buffer }) => buffer));
