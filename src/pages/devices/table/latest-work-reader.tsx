// Reads what latest-work.tsx shows. Loaded after the rows.
import { useEffect } from 'react';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { jobQueries } from '#/api/jobs.ts';
import { MOST_LATEST, type Job, type LatestWork } from '#/contract/jobs.ts';
import { verdictOf } from '#/features/jobs/verdict.ts';
import { paths } from '#/paths.ts';
import type { WorkOfDevice, WorkStore } from './latest-work.tsx';

/** Milliseconds for which a scrolled table rests before its rows are asked about. */
const REST = 120;

/** `ids`: the devices in view. */
export function LatestWorkReader({ ids, store }: { ids: readonly string[]; store: WorkStore }) {
  const [asked] = useDebouncedValue(ids.slice(0, MOST_LATEST).join(','), REST);
  const { data } = useQuery({ ...jobQueries.latest(asked), enabled: asked !== '' });
  useEffect(() => {
    if (data) store.put(new Map(data.Items.map((item) => [item.DeviceId, shownWork(item)])));
  }, [store, data]);
  return null;
}

const shownWork = ({ Version, ArtifactName, Job: job }: LatestWork): WorkOfDevice => ({
  version: Version,
  artifact: ArtifactName,
  job: job && { name: job.JobName || job.JobId, path: pathOf(job), state: verdictOf(job).verdict },
});

const pathOf = ({ JobId, ParentJobId }: Job) => (ParentJobId ? paths.childJob(ParentJobId, JobId) : paths.job(JobId));
