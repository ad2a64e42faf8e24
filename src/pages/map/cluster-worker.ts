// Sorts points along the curve away from the page, which never freezes for a large fleet. The sorted arrays are
// transferred, not copied.
import { serve } from '#/lib/worker-client.ts';
import { buildCurve } from './cluster-index.ts';

serve(buildCurve, ({ rows, kinds, codes, sumX, sumY }) => [rows, kinds, codes, sumX, sumY].map(({ buffer }) => buffer));
