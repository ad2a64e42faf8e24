// Why a job failed: its failed devices grouped by error. An open group shows its devices, an example log, and how that log
// differs from the log of a device that succeeded.
import { useMemo } from 'react';
import type { Job } from '#/contract/jobs.ts';
import { isLean } from '#/api/lean-rows.ts';
import { FailureGroups } from '#/features/failure-groups/failure-groups.tsx';
import { failedOf, type ChildJobs } from '#/pages/job/children/child-jobs.ts';
import { jobUrl } from '#/pages/job/children/job-url.ts';
import { useWantedOutputs } from '#/pages/job/children/use-child-rows.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { GroupDetails } from './group-details.tsx';

/** The failed jobs whose output has been read. */
function useFailed(jobs: ChildJobs) {
  const all = useMemo(() => failedOf(jobs), [jobs]);
  const rows = useMemo(() => all.map(({ job }) => job), [all]);
  useWantedOutputs(jobs.outputs, rows);
  return useMemo(() => all.filter(({ job }) => !isLean(job)), [all]);
}

export function FailuresPanel({ job, jobs }: { job: Job; jobs: ChildJobs }) {
  const [{ failures: opened }, url] = useUrlState(jobUrl);
  return (
    <FailureGroups
      failed={useFailed(jobs)}
      opened={opened}
      onToggle={({ id }, isOpen) => {
        if (isOpen) url.close('failures');
        else if (opened === undefined) url.open({ failures: id });
        // Moving from one group to the next is not a step for the Back button.
        else url.set({ failures: id });
      }}
      details={(group, client) => <GroupDetails {...{ job, jobs, group, client }} />}
    />
  );
}
