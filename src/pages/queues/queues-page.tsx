// The waiting and running jobs of every device, and which of them are stale.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { useFleet } from '#/fleet/use-fleet.ts';
import { JobTabs } from '#/features/page-tabs/page-tabs.tsx';
import { queueQueries, type Queues } from '#/features/job-queue/queues.ts';
import { staleTexts } from '#/features/job-queue/stale.ts';
import { useStaleRules } from '#/features/job-queue/use-stale-rules.ts';
import { paths } from '#/paths.ts';
import { counted, devicesText, formatCount } from '#/lib/format.ts';
import { Page } from '#/ui/page/page.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { useSnapshot } from '#/ui/use-snapshot.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { useDeferredQuery } from '#/ui/use-deferred-query.ts';
import { Empty, Failure, View } from '#/ui/page/view.tsx';
import { QueueFigures } from './queue-figures.tsx';
import { QueueFilters, StaleDays } from './queue-filters.tsx';
import {
  NO_QUEUE_FILTER,
  filterQueues,
  isQueueFiltered,
  queueFigures,
  queueRows,
  queuesUrl,
  sortQueues,
  staleOf,
  withDevices,
  type QueueRow,
  type QueuesView,
} from './queue-rows.ts';
import { QueueTable } from './queue-table.tsx';
import classes from './queues.module.css';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const RemoveStaleDialog = lazyDialog(() => import('#/features/job-queue/remove-stale-dialog.tsx'), 'RemoveStaleDialog');

const READING = 'What is stale is still being read';
const NOTHING: Queues = new Map();

/** The stale jobs of these rows, for the dialog that removes them. */
const removable = (rows: readonly QueueRow[], view: Pick<QueuesView, 'stale'>) =>
  rows.flatMap((row) =>
    staleOf(row, view).map((job) => ({
      ...job,
      DeviceName: row.name,
      why: staleTexts(row.stale.get(job) ?? []),
    })),
  );

/** The queues, and the rules by which their jobs are stale. */
function useReadQueues() {
  const queues = useDeferredQuery(useQuery(queueQueries.all()));
  const { data } = queues;
  const all = useMemo(() => data && Array.from(data.values()).flat(), [data]);
  return { queues, all, ...useStaleRules(all) };
}

/** A row per queue, with its device once the fleet is loaded, and the queued artifacts as choices. */
function useQueueRows() {
  const { queues, all, rules, settled, error } = useReadQueues();
  const { data } = queues;
  const fleet = useFleet({ need: true });
  const queued = useMemo(() => queueRows(data ?? NOTHING, rules), [data, rules]);
  const rows = useMemo(() => withDevices(queued, fleet.index), [queued, fleet.index]);
  const artifacts = useMemo(
    () =>
      [...new Set((all ?? []).flatMap(({ ArtifactId }) => ArtifactId || []))]
        .map((value) => ({ value, label: rules.versions.get(value)?.text ?? `Deleted, ${value}` }))
        .sort((one, two) => one.label.localeCompare(two.label)),
    [all, rules.versions],
  );
  return { queues, fleet, rows, rules, artifacts, settled, error };
}

export function QueuesPage() {
  const [view, url] = useUrlState(queuesUrl);
  const { queues, fleet, rows, rules, artifacts, settled, error } = useQueueRows();
  const shown = useMemo(() => sortQueues(filterQueues(rows, view, rules.now), view.sort), [rows, view, rules.now]);
  const figures = useMemo(() => queueFigures(rows), [rows]);
  const artifactText = (id: string | undefined) => (id ? rules.versions.get(id)?.text : undefined);
  const noRemove = useMay(jobEndpoints.remove, 'Removing jobs');
  const filtered = isQueueFiltered(view);
  const plan = useSnapshot(view.dialog === 'remove-stale', () => {
    if (!settled) return undefined;
    /** The stale jobs of one device, of the filtered rows, or of all. */
    const { of } = view;
    if (of === 'shown') return removable(shown, view);
    return removable(of === undefined ? rows : rows.filter(({ id }) => `device ${id}` === of), {
      stale: undefined,
    });
  });
  const here = filtered ? shown.reduce((sum, row) => sum + staleOf(row, view).length, 0) : 0;
  return (
    <Page title="Queues" lead="What waits or runs on each device, in order." actions={<StaleDays />}>
      <JobTabs />
      <View
        query={queues}
        name="the queues"
        isEmpty={({ size }) => size === 0}
        empty={
          <Empty title="Nothing waits" scoped next={{ label: 'All jobs', variant: 'default', to: paths.jobs() }}>
            No device has a waiting or running job. Jobs for Offline devices wait here.
          </Empty>
        }
      >
        {() => (
          <div className={classes.page}>
            <QueueFigures
              figures={figures}
              why={noRemove ?? (settled ? undefined : READING)}
              settled={settled}
              onRemove={() => url.open({ dialog: 'remove-stale', of: undefined })}
            />
            {fleet.error && !fleet.index && (
              <Failure what="the devices’ states" error={fleet.error} busy={fleet.isReading} onRetry={fleet.retry} />
            )}
            {error && <p className="dim">The artifacts could not be read: only age shows what is stale.</p>}
            {settled && artifacts.length === 0 && rows.length > 0 && (
              <p className="dim">No job here says which artifact it runs: only age shows what is stale.</p>
            )}
            <QueueFilters
              artifacts={artifacts}
              count={
                filtered ? `${formatCount(shown.length)} of ${devicesText(rows.length)}` : devicesText(rows.length)
              }
            />
            {here > 0 && here < figures.stale && (
              <div className={classes.note}>
                <span>
                  {counted(here, 'stale job')} {here === 1 ? 'matches' : 'match'} these filters.
                </span>
                <Gate why={noRemove ?? (settled ? undefined : READING)}>
                  <Button size="xs" onClick={() => url.open({ dialog: 'remove-stale', of: 'shown' })}>
                    Remove {here === 1 ? 'it' : `these ${formatCount(here)}`}…
                  </Button>
                </Gate>
              </div>
            )}
            {shown.length === 0 ? (
              <Empty
                title="No device matches"
                next={{ label: 'Clear filters', variant: 'default', onClick: () => url.set(NO_QUEUE_FILTER) }}
              />
            ) : (
              <QueueTable
                all={rows}
                noRemove={noRemove}
                rows={shown}
                opened={view.open}
                onOpen={(open) => url.set({ open })}
                artifactText={artifactText}
                sort={view.sort}
                onSort={(sort) => url.set({ sort })}
                onRemove={({ id }) => url.open({ dialog: 'remove-stale', of: `device ${id}` })}
              />
            )}
          </div>
        )}
      </View>
      <RemoveStaleDialog open={plan && { jobs: plan, onClose: () => url.close('dialog', 'of') }} />
    </Page>
  );
}
