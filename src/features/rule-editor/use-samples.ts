// The logs on which rules can be tried: the jobs that the rules apply to, latest first, and the devices of one job.
import { useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { isMoving, isParent } from '#/contract/job-state.ts';
import { jobQueries } from '#/api/jobs.ts';
import type { Job } from '#/contract/jobs.ts';
import { newestFirst } from '#/features/jobs/job-times.ts';
import { useJobs } from '#/features/jobs/use-jobs.ts';

const MAX_JOBS = 50;
/** How many ended jobs are searched for jobs of the name. */
const LATEST = 300;
const ENDED = 'Succeeded,Failed,Interrupted,RolledBack,NoAnswer';
/** Longest list of choices that a user can still look through. */
const MAX_DEVICES = 200;
const NONE: Job[] = [];

export type Samples = ReturnType<typeof useSamples>;

/** The viewed job, then the ended jobs of the name, newest first. */
function useEndedJobs(name: string, first: Job | undefined) {
  const list = useJobs({ status: ENDED }, { most: LATEST });
  const jobs = useMemo(() => {
    const ended = newestFirst((list.data ?? NONE).filter((job) => job.RuleName === name && !isMoving(job)));
    const others = ended.filter(({ JobId }) => JobId !== first?.JobId).slice(0, MAX_JOBS);
    return first ? [first, ...others] : others;
  }, [list.data, name, first]);
  return { list, jobs };
}

/** The ended children of a group or tag job. */
function useEndedChildren(parent: string | undefined) {
  const many = useQuery({ ...jobQueries.children(parent ?? ''), enabled: parent !== undefined });
  const children = useMemo(
    () => (parent === undefined ? NONE : (many.data ?? NONE).filter((each) => !isMoving(each))),
    [parent, many.data],
  );
  return { many, children };
}

/** `first`, `child`: the viewed job, and its opened device. */
export function useSamples(name: string, first: Job | undefined, child: string | undefined) {
  const [chosen, setChosen] = useState(first?.JobId ?? '');
  const [chosenChild, setChosenChild] = useState(child ?? '');
  const { list, jobs } = useEndedJobs(name, first);
  const job = jobs.find(({ JobId }) => JobId === chosen) ?? jobs[0];
  const parent = job && isParent(job) ? job.JobId : undefined;
  const { many, children } = useEndedChildren(parent);
  const index = Math.max(
    0,
    children.findIndex(({ JobId }) => JobId === chosenChild),
  );
  const choices = children
    .map((each) => ({ value: each.JobId, label: each.DeviceName || each.DeviceId }))
    .filter((_, at) => at < MAX_DEVICES || at === index);
  const id = parent === undefined ? job?.JobId : children[index]?.JobId;
  const one = useQuery({ ...jobQueries.one(id ?? ''), enabled: id !== undefined });
  // While the job loads, the log of the previous one must not be used.
  const sample = one.data?.complete && one.data.job.JobId === id ? one.data.job : undefined;
  return {
    jobs,
    job,
    /** Set for a job to many devices. */
    parent,
    choices,
    childKey: parent === undefined ? '' : (id ?? ''),
    /** The job or child whose log is used. */
    sample,
    loading: list.isPending || (parent !== undefined && many.isPending) || (id !== undefined && !sample && !one.error),
    error: one.error ?? many.error ?? list.error,
    chooseJob: (chosenId: string) => {
      setChosen(chosenId);
      setChosenChild('');
    },
    chooseChild: setChosenChild,
  };
}
