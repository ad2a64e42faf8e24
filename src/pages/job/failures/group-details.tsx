// An open group: actions on exactly its devices, their list, and the log of one of them.
import { useCallback, useMemo } from 'react';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { useOffered } from '#/api/capabilities.ts';
import { useMay } from '#/api/people.ts';
import { ExportGroupButton } from '#/features/failure-groups/export-group-button.tsx';
import type { FailureClient } from '#/features/failure-groups/failure-client.ts';
import { GroupLog } from '#/features/failure-groups/group-log.tsx';
import { OpenGroup } from '#/features/failure-groups/open-group.tsx';
import { RetryGroupButton } from '#/features/failure-groups/retry-group-button.tsx';
import { SelectGroupButton } from '#/features/failure-groups/select-group-button.tsx';
import type { FailureGroup } from '#/features/failure-groups/shown-group.ts';
import { TagGroupButton } from '#/features/failure-groups/tag-group-button.tsx';
import { visible } from '#/lib/glyphs.ts';
import { childName, whyNoRetry, type ChildJobs } from '#/pages/job/children/child-jobs.ts';
import { jobUrl, type JobUrl } from '#/pages/job/children/job-url.ts';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { useUrlState, type UrlActions } from '#/ui/url/use-url-state.ts';

const RetryDialog = lazyDialog(() => import('#/pages/job/children/retry-dialog.tsx'), 'RetryDialog');
const RetryEachDialog = lazyDialog(() => import('#/pages/job/children/retry-each-dialog.tsx'), 'RetryEachDialog');

interface GroupDetailsProps {
  job: Job;
  jobs: ChildJobs;
  group: FailureGroup;
  client: FailureClient;
}

export function GroupDetails({ job, jobs, group, client }: GroupDetailsProps) {
  const [{ dialog, example }, url] = useUrlState(jobUrl);
  const { keys, outputs } = jobs;
  const members = useMemo(() => group.keys.flatMap((key) => jobs.byKey.get(key) ?? []), [group.keys, jobs.byKey]);
  const ids = members.map(({ DeviceId }) => DeviceId).filter(Boolean);
  const closeDialog = () => url.close('dialog');
  const noRetry = whyNoRetry(job, ids.length);
  const hasAttempts = useOffered('jobs');
  const mayRetry = useMay(jobEndpoints.submit, 'Retrying', { WorkflowId: job.WorkflowId });
  const retry = dialog === 'retry-group' && { job, targets: members, which: 'this group', onClose: closeDialog };
  const onWant = useCallback((wanted: readonly Job[]) => outputs.want(wanted), [outputs]);
  const [sample] = members;
  return (
    <>
      <OpenGroup
        group={group}
        actions={
          <>
            {hasAttempts !== undefined && (
              <RetryGroupButton
                count={group.keys.length}
                fault={mayRetry ?? noRetry}
                onClick={() => url.open({ dialog: 'retry-group' })}
              />
            )}
            <TagGroupButton
              ids={ids}
              isOpen={dialog === 'tag-group'}
              onOpen={() => url.open({ dialog: 'tag-group' })}
              onClose={closeDialog}
            />
            <SelectGroupButton ids={ids} />
            <ExportGroupButton members={members} group={group} />
          </>
        }
        devices={
          <VirtualTable
            name="Devices of this group"
            bounded
            columns={columnsOf(jobs, url)}
            rows={members}
            rowKey={(child) => keys.get(child) ?? ''}
          />
        }
        log={
          sample && (
            <GroupLog
              client={client}
              sample={sample}
              jobs={jobs.rows}
              onWant={onWant}
              nameOf={(child) => childName(child, keys.get(child) ?? '')}
              whole={url.opening({ child: keys.get(sample) ?? '' })}
              example={example}
              onExample={(chosen) => url.set({ example: chosen })}
            />
          )
        }
      />
      <RetryDialog open={hasAttempts === true && retry} />
      <RetryEachDialog open={hasAttempts === false && retry} />
    </>
  );
}

const columnsOf = ({ keys }: ChildJobs, url: UrlActions<JobUrl>): Column<Job>[] => [
  {
    header: 'Device',
    width: '66%',
    cell: (child) => {
      const key = keys.get(child) ?? '';
      const name = childName(child, key);
      const { to, state } = url.opening({ child: key });
      return (
        <Link to={to} state={state} preventScrollReset className={rowName} title={`Output of ${name}`}>
          <MiddleEllipsis text={visible(name)} />
        </Link>
      );
    },
  },
  {
    header: 'Exit code',
    width: '34%',
    phone: 'end',
    cell: ({ ExitCode }) => ExitCode ?? <span className="dim">–</span>,
  },
];
