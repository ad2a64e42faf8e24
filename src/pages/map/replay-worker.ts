// Reads the answer to a replay in a worker, so that the page never freezes. The columns are transferred, not copied.
import { serve } from '#/lib/worker-client.ts';
import { readReplay } from './replay-data.ts';

serve(
  ({ text, to }: { text: string; to: number }) => readReplay(text, to),
  ({ initial, seconds, device, state }) => [initial, seconds, device, state].map(({ buffer }) => buffer),
);
