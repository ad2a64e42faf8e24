// The logs that rules can be tried on: jobs that ran what the rules are for, the latest first, and the devices of one.
import { useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { isMoving, isParent } from '#/contract/job-state.ts';
import { jobQueries } from '#/api/jobs.ts';
import type { Job } from '#/contract/jobs.ts';
import { newestFirst } from '#/features/jobs/job-times.ts';
import { useJobs } from '#/features/jobs/use-jobs.ts';

const MOST_JOBS = 50;
/** Ended jobs that are looked through for some of the name. */
const LATEST = 300;
const ENDED = 'Succeeded,Failed,Interrupted,RolledBack,NoAnswer';
/** A list of choices that a person can still look through. */
const MOST_DEVICES = 200;
const NONE: Job[] = [];

export type Samples = ReturnType<typeof useSamples>;

/** The jobs of a name that have ended, the newest first, after the one that is looked at. */
function useEndedJobs(name: string, first: Job | undefined) {
  const list = useJobs({ status: ENDED }, { most: LATEST });
  const jobs = useMemo(() => {
    const ended = newestFirst((list.data ?? NONE).filter((job) => job.RuleName === name && !isMoving(job)));
    const others = ended.filter(({ JobId }) => JobId !== first?.JobId).slice(0, MOST_JOBS);
    return first ? [first, ...others] : others;
  }, [list.data, name, first]);
  return { list, jobs };
}

/** The devices of a group or tag job that have ended. */
function useEndedChildren(parent: string | undefined) {
  const many = useQuery({ ...jobQueries.children(parent ?? ''), enabled: parent !== undefined });
  const children = useMemo(
    () => (parent === undefined ? NONE : (many.data ?? NONE).filter((each) => !isMoving(each))),
    [parent, many.data],
  );
  return { many, children };
}

/** `first`, `child`: the job that is looked at, and the opened device of it. */
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
    .filter((_, at) => at < MOST_DEVICES || at === index);
  const id = parent === undefined ? job?.JobId : children[index]?.JobId;
  const one = useQuery({ ...jobQueries.one(id ?? ''), enabled: id !== undefined });
  // Another job's log must not stand for it while it is read.
  const sample = one.data?.complete && one.data.job.JobId === id ? one.data.job : undefined;
  return {
    jobs,
    job,
    /** Of a job to many devices. */
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
