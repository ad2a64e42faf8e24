// The picture of a job to many devices. On a narrow screen it makes way for the output of the opened device.
import { useMemo } from 'react';
import { JobPicture } from '#/features/job-picture/job-picture.tsx';
import { runOf } from '#/features/job-picture/run-of-job.ts';
import type { Run } from '#/features/job-picture/runs.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { childName, type ChildJobs } from './children/child-jobs.ts';
import { jobUrl } from './children/job-url.ts';
import classes from './job-page.module.css';

export function ChildrenPicture({ jobs: { rows, keys } }: { jobs: ChildJobs }) {
  const [{ time, took, child }, url] = useUrlState(jobUrl);
  const runs = useMemo(
    () =>
      rows.flatMap((row): Run[] => {
        const key = keys.get(row) ?? '';
        const run = runOf(row, key, childName(row, key));
        return run ? [run] : [];
      }),
    [rows, keys],
  );
  return (
    <div className={classes.picture} data-opened={child !== undefined || undefined}>
      <JobPicture
        runs={runs}
        devices={rows.length}
        brush={{ time, took }}
        onBrush={(brush) => url.set({ ...brush })}
        linkOf={({ key }) => url.opening({ child: key })}
        onOpen={({ key }) => url.open({ child: key })}
      />
    </div>
  );
}
