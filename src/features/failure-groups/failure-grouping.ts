// Where failures are grouped and logs compared, by messages: the same in a worker as, where none can be had, in the page.
import { Grouper } from './grouper.ts';
import type { DeviceFailure, FailureGroup } from './grouper.ts';
import { diffLogs } from './log-diff.ts';
import type { LogDiff, DeviceLog } from './log-diff.ts';

/** A difference, and which of the healthy logs it is the difference to. */
export type Comparison = LogDiff & { against: number };

export type GroupingRequest =
  | { kind: 'put'; failures: DeviceFailure[] }
  | { kind: 'remove'; keys: string[] }
  | { kind: 'groups'; id: number }
  | { kind: 'compare'; id: number; failed: DeviceLog; healthy: DeviceLog[] };

export interface GroupingAnswer {
  id: number;
  groups?: FailureGroup[];
  comparison?: Comparison;
}

/** Starts without groups; some requests have no answer. */
export function openGrouping(): (request: GroupingRequest) => GroupingAnswer | undefined {
  const grouper = new Grouper();
  return (request) => {
    switch (request.kind) {
      case 'put':
        for (const failure of request.failures) grouper.put(failure);
        return undefined;
      case 'remove':
        for (const key of request.keys) grouper.remove(key);
        return undefined;
      case 'groups':
        return { id: request.id, groups: grouper.all() };
      case 'compare':
        return { id: request.id, comparison: diffLogs(request.failed, request.healthy) };
    }
  };
}
