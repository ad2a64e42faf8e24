// Handles the messages that group failures and compare logs, in a worker or, if none can be started, in the page.
import { Grouper, type DeviceFailure } from './grouper.ts';
import type { FailureGroup } from './shown-group.ts';
import { diffLogs, type LogDiff, type DeviceLog } from './log-diff.ts';

/** A difference, and the index of the healthy log that it refers to. */
export type Comparison = LogDiff & { against: number };

export type GroupingRequest =
  | { kind: 'put'; failures: DeviceFailure[] }
  | { kind: 'remove'; keys: string[] }
  | { kind: 'groups' }
  | { kind: 'compare'; failed: DeviceLog; healthy: DeviceLog[] };

export interface GroupingAnswer {
  groups?: FailureGroup[];
  comparison?: Comparison;
}

/** A handler with its own, initially empty, groups. */
export function openGrouping(): (request: GroupingRequest) => GroupingAnswer {
  const grouper = new Grouper();
  return (request) => {
    switch (request.kind) {
      case 'put':
        for (const failure of request.failures) grouper.put(failure);
        return {};
      case 'remove':
        for (const key of request.keys) grouper.remove(key);
        return {};
      case 'groups':
        return { groups: grouper.all() };
      case 'compare':
        return { comparison: diffLogs(request.failed, request.healthy) };
    }
  };
}
