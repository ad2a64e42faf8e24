// Why a job failed: its failed devices in groups by their errors, the largest first. A group opens to its devices, one
// log as an example, and how that log differs from one of a device on which it went well.
import { useCallback, useMemo, useRef, useState, useEffect } from 'react';
import { IconChevronRight } from '@tabler/icons-react';
import type { Job } from '#/contract/jobs.ts';
import type { FailureGroup } from '#/features/failure-groups/shown-group.ts';
import { counted, devicesText, formatCount } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Skeleton } from '#/ui/page/view.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { jobUrl } from '#/pages/job/children/job-url.ts';
import { failedOf, type ChildJobs } from '#/pages/job/children/child-jobs.ts';
import { isLean } from '#/api/lean-rows.ts';
import { useWantedOutputs } from '#/pages/job/children/use-child-rows.ts';
import { GroupDetails } from './group-details.tsx';
import { GroupTitle } from './group-title.tsx';
import { FailureClient, type FailedJob } from '#/features/failure-groups/failure-client.ts';
import { Status } from '#/ui/controls/status.tsx';
import classes from './failures.module.css';

/** Ids of a group by which its former place is looked for. */
const MOST_IDS = 100;

/** The groups in the order they had before; new ones at the end. */
function inOrderOf(before: readonly FailureGroup[], groups: FailureGroup[]): FailureGroup[] {
  const indexes = new Map(before.map(({ id }, index) => [id, index]));
  const indexOf = ({ id, otherIds }: FailureGroup) =>
    Math.min(...[id, ...otherIds.slice(0, MOST_IDS)].map((each) => indexes.get(each) ?? before.length));
  return groups.toSorted((one, two) => indexOf(one) - indexOf(two));
}

/**
 * Undefined groups until they are known for the first time. `failed` must be the same array as long as nothing in it changes. `isRead`: whether the reader is at the list, so that
 * the groups stay in their order, however their sizes change.
 */
function useFailureGroups(failed: readonly FailedJob[], isRead: () => boolean) {
  const [client] = useState(() => new FailureClient());
  const [groups, setGroups] = useState<FailureGroup[]>();
  useEffect(() => () => client.close(), [client]);
  useEffect(() => {
    let live = true;
    void client.groups(failed).then((found) => {
      if (live && found) setGroups((before) => (before && isRead() ? inOrderOf(before, found) : found));
    });
    return () => {
      live = false;
    };
  }, [client, failed, isRead]);
  return { groups, client };
}

/** Those whose output was read; `isRead`: whether there are any, so that their groups can be shown. */
function useFailed(jobs: ChildJobs) {
  const all = useMemo(() => failedOf(jobs), [jobs]);
  const rows = useMemo(() => all.map(({ job }) => job), [all]);
  useWantedOutputs(jobs.outputs, rows);
  const failed = useMemo(() => all.filter(({ job }) => !isLean(job)), [all]);
  return { failed, isRead: failed.length > 0 };
}

/** Groups that are shown before somebody asks for all. */
const FIRST = 8;

export function FailuresPanel({ job, jobs }: { job: Job; jobs: ChildJobs }) {
  const [{ failures: opened }, url] = useUrlState(jobUrl);
  const { failed, isRead } = useFailed(jobs);
  const [all, setAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const isAtList = useCallback(() => list.current?.matches(':hover, :focus-within') ?? false, []);
  const { groups, client } = useFailureGroups(failed, isAtList);
  const ordered = groups ?? [];
  const isOpened = ({ id, otherIds }: FailureGroup) => id === opened || otherIds.some((other) => other === opened);
  const shown = all ? ordered : ordered.filter((group, index) => index < FIRST || isOpened(group));
  const toggle = (group: FailureGroup) => {
    const { id } = group;
    if (isOpened(group)) url.close('failures');
    else if (opened === undefined) url.open({ failures: id });
    // Going from one group to the next is not a step that Back should take.
    else url.set({ failures: id });
  };
  return (
    <section aria-labelledby="failures" className={classes.panel}>
      <header>
        <h2 id="failures">Why it failed</h2>
        <Status className="dim tabular">
          {groups && isRead && `${devicesText(failed.length)} in ${counted(groups.length, 'group')}`}
        </Status>
      </header>
      {groups && isRead ? (
        <ul ref={list} className={classes.groups}>
          {shown.map((group) => (
            <li key={group.id} data-opened={isOpened(group) || undefined}>
              <GroupRow group={group} total={failed.length} opened={isOpened(group)} onToggle={() => toggle(group)} />
              {isOpened(group) && <GroupDetails {...{ job, jobs, group, client }} />}
            </li>
          ))}
        </ul>
      ) : (
        <Skeleton name="what they printed" rows={3} />
      )}
      {shown.length < ordered.length && (
        <button type="button" className={classes.more} onClick={() => setAll(true)}>
          Show all {formatCount(ordered.length)} groups
        </button>
      )}
    </section>
  );
}

function GroupRow(props: { group: FailureGroup; total: number; opened: boolean; onToggle: () => void }) {
  const { group, total, opened, onToggle } = props;
  const share = group.keys.length / Math.max(1, total);
  return (
    <button type="button" className={classes.row} aria-expanded={opened} onClick={onToggle}>
      <IconChevronRight size={16} stroke={1.8} aria-hidden className="turns dim" />
      <span className={classes.count}>
        {formatCount(group.keys.length)}
        <span className={classes.times}> ×</span>
      </span>
      <span className={classes.what}>
        <GroupTitle group={group} />
      </span>
      <span className={classes.meta}>
        {group.ended !== 'Failed' && <StateMark state={group.ended} />}
        {group.title.length > 0 && <ExitCodes group={group} />}
      </span>
      <span className={classes.share} title={`${Math.round(share * 100)} % of those that did not succeed`} aria-hidden>
        <span style={{ width: `${Math.max(2, share * 100)}%` }} data-state={group.ended} />
      </span>
    </button>
  );
}

const MOST_CODES = 3;

function ExitCodes({ group: { exitCodes } }: { group: FailureGroup }) {
  if (exitCodes.length === 0) return null;
  const shown = exitCodes.slice(0, MOST_CODES).map(({ code }) => code);
  return (
    <span
      className="dim tabular"
      title={exitCodes.map(({ code, count }) => `exit code ${code}: ${formatCount(count)}`).join('\n')}
    >
      exit {shown.join(', ')}
      {exitCodes.length > MOST_CODES && ' …'}
    </span>
  );
}
