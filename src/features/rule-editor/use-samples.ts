// The logs that rules can be tried on: jobs that ran what the rules are for, the latest first, and the devices of one.
import { useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { isMoving, isParent } from '#/api/job-state.ts';
import { jobQueries } from '#/api/jobs.ts';
import type { Job } from '#/contract/jobs.ts';
import { newestFirst } from '#/features/jobs/job-times.ts';
import { useRuleName } from '#/features/outcome-rules/use-rules.ts';

const MOST_JOBS = 50;
/** A list of choices that a person can still look through. */
const MOST_DEVICES = 200;
const NONE: Job[] = [];

export type Samples = ReturnType<typeof useSamples>;

/** The jobs of a name that have ended, the newest first, after the one that is looked at. */
function useEndedJobs(name: string, first: Job | undefined) {
  const nameOf = useRuleName();
  const list = useQuery(jobQueries.list());
  const jobs = useMemo(() => {
    const ended = newestFirst((list.data ?? NONE).filter((job) => nameOf(job) === name && !isMoving(job)));
    const others = ended.filter(({ JobId }) => JobId !== first?.JobId).slice(0, MOST_JOBS);
    return first ? [first, ...others] : others;
  }, [list.data, nameOf, name, first]);
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
  const parent = job !== undefined && isParent(job);
  const one = useQuery({ ...jobQueries.one(job?.JobId ?? ''), enabled: job !== undefined && !parent });
  const { many, children } = useEndedChildren(parent ? job.JobId : undefined);
  const keyOf = (each: Job, index: number) => each.JobId || String(index);
  const index = Math.max(
    0,
    children.findIndex((each, at) => keyOf(each, at) === chosenChild),
  );
  const choices = children
    .map((each, at) => ({ value: keyOf(each, at), label: each.DeviceName || each.DeviceId || `Device ${at + 1}` }))
    .filter((_, at) => at < MOST_DEVICES || at === index);
  const whole = one.data?.complete ? one.data.job : undefined;
  const single = useMemo(() => (whole && !parent ? [whole] : NONE), [whole, parent]);
  const sample = parent ? children[index] : whole;
  const current = parent ? many : one;
  return {
    jobs,
    job,
    /** Of a job to many devices. */
    children,
    choices,
    childKey: sample && parent ? keyOf(sample, index) : '',
    /** The job or child whose log is used. */
    sample,
    /** All whose logs are at hand. */
    all: parent ? children : single,
    loading: list.isPending || (job !== undefined && (current.isPending || (!parent && !whole))),
    error: current.error ?? list.error,
    chooseJob: (id: string) => {
      setChosen(id);
      setChosenChild('');
    },
    chooseChild: setChosenChild,
  };
}
