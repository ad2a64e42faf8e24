// The devices of a group or tag job with their states: filter by state, name and output, sort, select, retry and cancel.
// The output of the opened device is beside the list.
import { useCallback, useMemo } from 'react';
import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { useOffered } from '#/api/capabilities.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { canStop, jobState } from '#/contract/job-state.ts';
import { BulkBar } from '#/features/bulk/bulk-bar.tsx';
import { useSelection } from '#/features/bulk/selection.ts';
import type { Selection } from '#/ui/table/selected-ids.ts';
import { runOf } from '#/features/job-picture/run-of-job.ts';
import { isInBrush } from '#/features/job-picture/runs.ts';
import { totalOf } from '#/features/jobs/outcome.ts';
import { FAILURES, VERDICTS, verdictOf, type VerdictCounts } from '#/features/jobs/verdict.ts';
import { formatCount } from '#/lib/format.ts';
import { visible } from '#/lib/glyphs.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { useNow } from '#/ui/controls/time.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { SearchField } from '#/ui/form/search-field.tsx';
import { useTyped } from '#/ui/url/use-typed.ts';
import { Empty } from '#/ui/page/view.tsx';
import { SelectRow, SelectShown } from '#/ui/table/row-select.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import type { Column } from '#/ui/table/table.tsx';
import { ChildPanel } from './child-panel.tsx';
import { UNANSWERED, attemptsOf, childName, whyNoRetry, type ChildJobs } from './children/child-jobs.ts';
import { jobUrl, type JobUrl } from './children/job-url.ts';
import { useWantedOutputs } from './children/use-child-rows.ts';
import { childColumns, sortChildren, tellingFields } from './job-children-columns.tsx';
import { useChildSearch } from './job-children-search.ts';
import classes from './job-page.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const RetryDialog = lazyDialog(() => import('./children/retry-dialog.tsx'), 'RetryDialog');
const RetryEachDialog = lazyDialog(() => import('./children/retry-each-dialog.tsx'), 'RetryEachDialog');
const CancelWaitingDialog = lazyDialog(() => import('./cancel-waiting-dialog.tsx'), 'CancelWaitingDialog');

function StateFilter({ counts }: { counts: VerdictCounts }) {
  const [{ state }, url] = useUrlState(jobUrl);
  const choices = VERDICTS.filter((each) => counts[each] || each === state);
  return (
    <div role="group" aria-label="State" className={classes.states}>
      <button type="button" aria-pressed={state === undefined} onClick={() => url.set({ state: undefined })}>
        All {formatCount(totalOf(counts))}
      </button>
      {choices.map((each) => (
        <button key={each} type="button" aria-pressed={state === each} onClick={() => url.set({ state: each })}>
          <StateMark state={each} /> {formatCount(counts[each] ?? 0)}
        </button>
      ))}
    </div>
  );
}

function Search() {
  const [{ name: applied }, url] = useUrlState(jobUrl);
  const text = useTyped(applied, (name) => url.set({ name }));
  return <SearchField size="xs" className={classes.search} label="Find in names and output" text={text} />;
}

/** The checkboxes, which change the same selection as the device table and the map. */
function checkboxColumn(all: readonly string[], { ids, add, remove, toggle }: Selection): Column<Job> {
  return {
    header: 'Selected',
    width: '42px',
    phone: 'hide',
    head: <SelectShown shown={all} selected={ids} name="Select all of these devices" add={add} remove={remove} />,
    cell: (child) =>
      child.DeviceId && (
        <SelectRow
          id={child.DeviceId}
          name={childName(child, '')}
          selected={ids.has(child.DeviceId)}
          onChange={() => toggle(child.DeviceId)}
        />
      ),
  };
}

const NONE: readonly Job[] = [];

const runTimes = (child: Job) => {
  const { from, to } = runOf(child, '', '') ?? {};
  return { from, to };
};

/** The devices that match the URL's filters, in its order; `found`: the line of each that matches the search. */
function useShownChildren(jobs: ChildJobs, fleet: FleetIndex | undefined, { state, name, time, took, sort }: JobUrl) {
  const { rows, outputs } = jobs;
  const now = useNow();
  useWantedOutputs(outputs, name.trim() === '' ? NONE : rows);
  const found = useChildSearch(rows, name);
  const filtered = useMemo(
    () =>
      rows.filter(
        (child) =>
          (state === undefined || verdictOf(child).verdict === state) &&
          (!found || found.has(child)) &&
          isInBrush(runTimes(child), { time, took }),
      ),
    [rows, state, found, time, took],
  );
  const shown = useMemo(() => sortChildren(filtered, sort, { fleet, now }), [filtered, sort, fleet, now]);
  const shownIds = useMemo(() => shown.map(({ DeviceId }) => DeviceId).filter(Boolean), [shown]);
  return { found, shown, shownIds };
}

export function JobChildren(props: { parent: Job; jobs: ChildJobs; fleet: FleetIndex | undefined }) {
  const { parent, jobs, fleet } = props;
  const { rows, counts, keys, byKey } = jobs;
  const [view, url] = useUrlState(jobUrl);
  const { name, sort, child: opened } = view;
  const selection = useSelection();
  const { found, shown, shownIds } = useShownChildren(jobs, fleet, view);
  const row = opened === undefined ? undefined : byKey.get(opened);
  const find = useCallback((key: string) => byKey.get(key), [byKey]);
  const keyOf = useCallback((child: Job) => keys.get(child) ?? '', [keys]);
  const fields = useMemo(() => tellingFields(rows, fleet), [rows, fleet]);
  return (
    <div className={classes.split} data-opened={opened !== undefined || undefined} data-in-order>
      <div className={classes.children}>
        <div className="between">
          <StateFilter counts={counts} />
          {(rows.length > 10 || name) && <Search />}
        </div>
        <ChildActions parent={parent} jobs={jobs} selected={selection.ids} />
        {shown.length === 0 ? (
          <Empty
            title="No device matches"
            next={{
              label: 'Show all',
              variant: 'default',
              onClick: () => url.set({ name: '', state: undefined, time: undefined, took: undefined }),
            }}
          />
        ) : (
          <VirtualTable
            name="Devices of this job"
            columns={childColumns({
              jobs,
              fleet,
              fields,
              opened,
              url,
              found,
              box: checkboxColumn(shownIds, selection),
            })}
            rows={shown}
            rowKey={keyOf}
            find={find}
            sort={sort}
            onSort={(next) => url.set({ sort: next })}
            isMarked={(child) => keys.get(child) === opened || selection.ids.has(child.DeviceId)}
          />
        )}
        <BulkBar shown={shownIds} where="this list" />
      </div>
      {opened !== undefined && (
        <ChildPanel
          key={opened}
          parent={parent}
          attempts={attemptsOf(jobs, row)}
          id={row ? row.JobId : opened}
          row={row}
          fallback={visible(`Device ${opened}`)}
        />
      )}
    </div>
  );
}

/** Retries the job on some devices, and cancels it where it is waiting. */
function ChildActions(props: { parent: Job; jobs: ChildJobs; selected: ReadonlySet<string> }) {
  const { parent, jobs, selected } = props;
  const { rows } = jobs;
  const [{ dialog }, url] = useUrlState(jobUrl);
  const [failed, unanswered, waiting] = useMemo(() => {
    const of = (wanted: readonly string[]) => rows.filter((child) => wanted.includes(verdictOf(child).verdict));
    return [
      of(FAILURES),
      of(UNANSWERED),
      rows.filter((child) => canStop(child) && jobState(child) === 'Waiting'),
    ] as const;
  }, [rows]);
  const hasAttempts = useOffered('jobs');
  const noRetry = useMay(jobEndpoints.submit, 'Retrying', { WorkflowId: parent.WorkflowId });
  const noCancel = useMay(jobEndpoints.stop, 'Cancelling jobs');
  const retries = [
    { id: 'retry-failed', which: 'the failed', targets: failed },
    { id: 'retry-unanswered', which: 'the unanswered', targets: unanswered },
    { id: 'retry-selected', which: 'the selected', targets: rows.filter(({ DeviceId }) => selected.has(DeviceId)) },
  ];
  // If all failures are unanswered, one button is enough.
  const offered = retries.filter(
    ({ targets }) =>
      hasAttempts !== undefined && targets.length > 0 && (targets !== unanswered || targets.length < failed.length),
  );
  const chosen = retries.find(({ id }) => id === dialog);
  const close = () => url.close('dialog');
  const retry = chosen && { job: parent, targets: chosen.targets, which: chosen.which, onClose: close };
  const whyNoMore = (targets: readonly Job[]) => whyNoRetry(parent, targets.filter(({ DeviceId }) => DeviceId).length);
  return (
    <>
      {(offered.length > 0 || waiting.length > 0) && (
        <div className="flow" role="group" aria-label="Actions for devices of this job">
          {offered.map(({ id, which, targets }) => (
            <Gate key={id} why={noRetry ?? whyNoMore(targets)}>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconRefresh size={16} stroke={1.6} aria-hidden />}
                onClick={() => url.open({ dialog: id })}
              >
                Retry {which} ({formatCount(targets.length)})…
              </Button>
            </Gate>
          ))}
          {waiting.length > 0 && (
            <Gate why={noCancel}>
              <Button size="xs" variant="default" onClick={() => url.open({ dialog: 'cancel-waiting' })}>
                Cancel the {formatCount(waiting.length)} that {waiting.length === 1 ? 'waits' : 'wait'}…
              </Button>
            </Gate>
          )}
        </div>
      )}
      <RetryDialog open={hasAttempts === true && retry} />
      <RetryEachDialog open={hasAttempts === false && retry} />
      <CancelWaitingDialog open={dialog === 'cancel-waiting' && { parent, waiting, onClose: close }} />
    </>
  );
}
