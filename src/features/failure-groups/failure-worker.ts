// Groups failures away from the page, which never stands still for it.
import { openGrouping } from './failure-grouping.ts';
import type { GroupingRequest } from './failure-grouping.ts';

const grouping = openGrouping();

self.addEventListener('message', ({ data }: MessageEvent<GroupingRequest>) => {
  const answer = grouping(data);
  if (answer) self.postMessage(answer);
});
