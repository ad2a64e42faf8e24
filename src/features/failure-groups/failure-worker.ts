// Groups failures away from the page, which never stands still for it.
import { openDesk } from './failure-grouping.ts';
import type { DeskRequest } from './failure-grouping.ts';

const desk = openDesk();

self.addEventListener('message', ({ data }: MessageEvent<DeskRequest>) => {
  const answer = desk(data);
  if (answer) self.postMessage(answer);
});
