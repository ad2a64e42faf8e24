// For how many devices that are Offline the rest of a job waits, where the service does not report it: its queues and
// the fleet show it, where they are known.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { polled } from '#/api/query.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { isMoving, isParent } from '#/contract/job-state.ts';
import type { Job } from '#/contract/jobs.ts';
import { withAwaited } from '#/features/jobs/outcome.ts';
import { queueQueries } from './queue-reader.ts';

/** Milliseconds between two readings of the queues for this alone. */
const SELDOM = 20_000;

/** Whether a job may wait for devices that are Offline, and its service does not report that. */
export const isUnreported = (job: Job): boolean => job.WaitingOffline === undefined && isParent(job) && isMoving(job);

/** Whether the fleet knows that a device is Offline. */
export const offlineIn =
  (fleet: FleetIndex) =>
  (id: string): boolean => {
    const row = fleet.rowOf(id);
    return row !== undefined && fleet.device(row).DeviceStatus === 'Offline';
  };

/** The same jobs, each with its `WaitingOffline` where that can be known. `jobs` must be the same array until it changes. */
export function useAwaited(jobs: Job[], fleet: FleetIndex | undefined): Job[] {
  const isWanted = fleet !== undefined && jobs.some(isUnreported);
  const { data } = useQuery({ ...polled(queueQueries.all(), SELDOM), enabled: isWanted });
  return useMemo(() => {
    if (!isWanted || !data) return jobs;
    const rest = Map.groupBy(Array.from(data.values()).flat(), ({ ParentJobId }) => ParentJobId);
    const isOffline = offlineIn(fleet);
    return jobs.map((job) => (isUnreported(job) ? withAwaited(job, rest.get(job.JobId) ?? [], isOffline) : job));
  }, [data, fleet, jobs, isWanted]);
}
