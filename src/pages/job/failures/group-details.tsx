// An open group: actions on exactly its devices, their list, and the log of one of them.
import { useMemo, useState } from 'react';
import { Button } from '@mantine/core';
import { IconDownload, IconTagPlus } from '@tabler/icons-react';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { useOffered } from '#/api/capabilities.ts';
import type { FailureGroup } from '#/features/failure-groups/shown-group.ts';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { formatCount } from '#/lib/format.ts';
import { visible } from '#/lib/glyphs.ts';
import { useUrlState, type UrlActions } from '#/ui/url/use-url-state.ts';
import { jobUrl, type JobUrl } from '#/pages/job/children/job-url.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { childName, whyNoRetry, type ChildJobs } from '#/pages/job/children/child-jobs.ts';
import { GroupLog, type GroupLogProps } from './group-log.tsx';
import { nextTask } from '#/lib/pace.ts';
import { csvLine, csvText } from '#/contract/csv.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';
import { RetryGroupButton } from '#/features/failure-groups/retry-group-button.tsx';
import { SelectGroupButton } from '#/features/failure-groups/select-group-button.tsx';
import { tellingLineOf } from '#/features/failure-groups/failure-client.ts';
import { Link } from '#/ui/url/link.tsx';
import classes from './failures.module.css';
import { tagEndpoints } from '#/contract/tags.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

/** Rows per task. */
const PORTION = 200;

/** Saves a group as CSV: its devices, how each ended, and the line by which it was grouped. */
async function exportGroup(members: readonly Job[], { ended }: FailureGroup): Promise<void> {
  const parts = [
    csvText([['device', 'device id', 'ended', 'exit code', 'said', 'started', 'ended at', 'job', 'job id']]),
  ];
  for (let from = 0; from < members.length; from += PORTION) {
    if (from > 0) await nextTask();
    for (const job of members.slice(from, from + PORTION)) {
      const { DeviceName = '', DeviceId, ExitCode, StartTime, EndTime, JobName, JobId } = job;
      const cause = tellingLineOf(job);
      parts.push(
        csvLine([DeviceName, DeviceId, ended, String(ExitCode ?? ''), cause, StartTime, EndTime, JobName, JobId]),
      );
    }
  }
  saveFile(datedName('failed-devices'), parts);
}

const RetryDialog = lazyDialog(() => import('#/pages/job/children/retry-dialog.tsx'), 'RetryDialog');
const RetryEachDialog = lazyDialog(() => import('#/pages/job/children/retry-each-dialog.tsx'), 'RetryEachDialog');
const BulkDialog = lazyDialog(() => import('#/features/bulk/bulk-dialog.tsx'), 'BulkDialog');

export function GroupDetails({ job, jobs, group, client }: GroupLogProps & { job: Job }) {
  const [{ dialog }, url] = useUrlState(jobUrl);
  const members = useMemo(() => group.keys.flatMap((key) => jobs.byKey.get(key) ?? []), [group.keys, jobs.byKey]);
  const ids = members.map(({ DeviceId }) => DeviceId).filter(Boolean);
  // The devices of an action are fixed when its dialog opens, though the group may grow meanwhile.
  const [tagged, setTagged] = useState<string[]>();
  const closeDialog = () => url.close('dialog');
  const noRetry = whyNoRetry(job, ids.length);
  const hasAttempts = useOffered('jobs');
  const mayRetry = useMay(jobEndpoints.submit, 'Retrying', { WorkflowId: job.WorkflowId });
  const noTags = useMay(tagEndpoints.attach, 'Tagging devices');
  const retry = dialog === 'retry-group' && { job, targets: members, which: 'this group', onClose: closeDialog };
  const hasTags = useOffered('tags') === true;
  return (
    <div className={classes.details}>
      <div className="flow" role="group" aria-label="Actions for this group">
        {hasAttempts !== undefined && (
          <RetryGroupButton
            count={group.keys.length}
            fault={mayRetry ?? noRetry}
            onClick={() => url.open({ dialog: 'retry-group' })}
          />
        )}
        {hasTags && (
          <Gate why={noTags ?? (ids.length === 0 ? 'The service does not say which devices these are' : undefined)}>
            <Button
              size="xs"
              leftSection={<IconTagPlus size={16} stroke={1.6} aria-hidden />}
              onClick={() => {
                setTagged(ids);
                url.open({ dialog: 'tag-group' });
              }}
            >
              Add a tag…
            </Button>
          </Gate>
        )}
        <SelectGroupButton ids={ids} />
        <Button
          size="xs"
          leftSection={<IconDownload size={16} stroke={1.6} aria-hidden />}
          onClick={() => void exportGroup(members, group)}
        >
          Export CSV
        </Button>
      </div>
      {group.ways.length > 0 && <Ways group={group} />}
      <div className={classes.parts}>
        <VirtualTable
          name="Devices of this group"
          bounded
          columns={columnsOf(jobs, url)}
          rows={members}
          rowKey={(child) => jobs.keys.get(child) ?? ''}
        />
        <GroupLog {...{ jobs, group, client }} />
      </div>
      <RetryDialog open={hasAttempts === true && retry} />
      <RetryEachDialog open={hasAttempts === false && retry} />
      <BulkDialog open={dialog === 'tag-group' && { action: 'add-tag', ids: tagged ?? ids, onClose: closeDialog }} />
    </div>
  );
}

/** The different wordings in the group. */
function Ways({ group: { ways } }: { group: FailureGroup }) {
  return (
    <div className={classes.ways}>
      <h3>Exact messages</h3>
      <ul>
        {ways.map(({ line, count }) => (
          <li key={line}>
            <span className="tabular dim">{formatCount(count)} ×</span> <code>{visible(line)}</code>
          </li>
        ))}
      </ul>
    </div>
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
