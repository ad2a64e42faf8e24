// All jobs, newest first, with what they are doing now.
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button, CloseButton, NativeSelect, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { isMoving, jobQueries } from '#/api/jobs.ts';
import { tagQueries } from '#/api/tags.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/ui/format.ts';
import { Page } from '#/ui/page.tsx';
import { Empty, View } from '#/ui/view.tsx';
import { DeleteExecutedDialog } from './delete-executed-dialog.tsx';
import { DeleteJobDialog } from './delete-job-dialog.tsx';
import { filterJobs, isFiltered, readFilter } from './job-filter.ts';
import { newestFirst } from '#/jobs/job-times.ts';
import { JobsTable } from './jobs-table.tsx';
import { STATES, outcomeOf } from '#/jobs/outcome.ts';
import { useAddress } from '#/ui/use-address.ts';
import classes from './jobs.module.css';

/** From here on a page advises to tidy up: "executed jobs should be deleted to keep the job queue short" (v1.md). */
const MANY_EXECUTED = 200;

export function JobsPage() {
  const address = useAddress();
  const filter = readFilter(address.params);
  const jobs = useQuery(jobQueries.list());
  const parents = jobs.data?.some(({ TagId }) => TagId) ?? false;
  const tags = useQuery({ ...tagQueries.list(), enabled: parents, retry: false });
  const sorted = useMemo(() => newestFirst(jobs.data ?? []), [jobs.data]);
  const shown = filterJobs(sorted, filter);
  const filtered = isFiltered(filter);
  const executed = shown.filter((job) => !isMoving(job));
  const dialog = address.params.get('dialog');
  const deleted = dialog === 'delete' && jobs.data?.find(({ JobId }) => JobId === address.params.get('job'));
  const close = () => address.close('dialog', 'job');
  const openDeleteExecuted = () => address.open({ dialog: 'delete-executed' });
  return (
    <Page
      title="Jobs"
      lead="What was deployed, newest first."
      actions={
        <>
          <Button
            variant="default"
            disabled={executed.length === 0}
            title={executed.length === 0 ? 'There is no executed job in this list' : undefined}
            onClick={openDeleteExecuted}
          >
            Delete executed…
          </Button>
          <Button component={Link} to={paths.deploy()}>
            Deploy
          </Button>
        </>
      }
    >
      <View
        query={jobs}
        name="jobs"
        isEmpty={(rows) => rows.length === 0}
        empty={
          <Empty
            title="No jobs yet"
            action={
              <Button component={Link} to={paths.deploy()}>
                Deploy something
              </Button>
            }
          >
            A job runs an artifact or a workflow on a device, a group or a tag. Its output appears here while it runs.
          </Empty>
        }
      >
        {(rows) => (
          <>
            <div className={classes['filters']} role="search" aria-label="Filter jobs">
              <TextInput
                aria-label="Name contains"
                placeholder="Find by name"
                leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
                value={filter.name}
                onChange={(event) => address.set({ name: event.currentTarget.value })}
                rightSection={
                  filter.name && (
                    <CloseButton size="sm" aria-label="Clear the name" onClick={() => address.set({ name: '' })} />
                  )
                }
                spellCheck={false}
              />
              <NativeSelect
                aria-label="State"
                value={filter.state ?? ''}
                onChange={(event) => address.set({ state: event.currentTarget.value })}
                data={[{ value: '', label: 'Any state' }, ...STATES.map((state) => ({ value: state, label: state }))]}
              />
              <span className={classes['count']} role="status">
                {filtered ? `${formatCount(shown.length)} of ${formatCount(rows.length)}` : formatCount(rows.length)}{' '}
                {rows.length === 1 ? 'job' : 'jobs'}
              </span>
            </div>
            {executed.length > MANY_EXECUTED && (
              <div className={classes['note']}>
                <p>
                  {formatCount(executed.length)} jobs are executed and still in the list. Delete those you do not need
                  any more: the list stays fast to read and to load.
                </p>
                <Button size="xs" variant="default" onClick={openDeleteExecuted}>
                  Delete executed…
                </Button>
              </div>
            )}
            {shown.length === 0 ? (
              <Empty
                title="No job matches"
                action={
                  <Button variant="default" onClick={() => address.set({ name: '', state: '' })}>
                    Clear filters
                  </Button>
                }
              />
            ) : (
              <JobsTable
                jobs={shown}
                tags={tags.data}
                onDelete={({ JobId }) => address.open({ dialog: 'delete', job: JobId })}
              />
            )}
          </>
        )}
      </View>
      {deleted && <DeleteJobDialog job={deleted} outcome={outcomeOf(deleted)} onClose={close} onDeleted={close} />}
      {dialog === 'delete-executed' && jobs.data && (
        <DeleteExecutedDialog jobs={executed} filtered={filtered} onClose={close} />
      )}
    </Page>
  );
}
