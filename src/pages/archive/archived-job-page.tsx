// One archived job: its state when it left the service, its devices, and their output.
import { Link, useNavigate, useParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { archiveQueries } from '#/features/job-archive/archive-queries.ts';
import type { StoredJob } from '#/features/job-archive/archive-store.ts';
import { useAccount } from '#/features/job-archive/use-account.ts';
import { JobFactList } from '#/features/jobs/job-fact-list.tsx';
import { targetOf, targetText } from '#/features/jobs/job-words.ts';
import { overallState } from '#/features/jobs/outcome.ts';
import { OutcomeBar } from '#/features/jobs/outcome-bar.tsx';
import { paths } from '#/paths.ts';
import { formatBytes } from '#/lib/format.ts';
import { Page } from '#/ui/page/page.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { ArchivedRows } from './archived-rows.tsx';
import { archivedName } from './archive-table.tsx';
import { DeleteArchivedDialog } from './delete-archived-dialog.tsx';
import classes from './archive.module.css';

export function ArchivedJobPage() {
  const { id = '' } = useParams();
  const account = useAccount();
  const navigate = useNavigate();
  const stored = useQuery(archiveQueries.one(account, id));
  const [deleting, setDeleting] = useState(false);
  const name = stored.data ? archivedName(stored.data) : 'Archived job';
  return (
    <Page
      title={name}
      heading={
        <>
          <bdi>{name}</bdi> {stored.data && <StateMark state={overallState(stored.data.outcome)} />}
        </>
      }
      back={<Link to={paths.archive()}>Archive</Link>}
      actions={
        stored.data && (
          <Button variant="default" onClick={() => setDeleting(true)}>
            Delete from the archive…
          </Button>
        )
      }
    >
      <View
        local
        query={stored}
        name="the archived job"
        isEmpty={(found) => found === null}
        empty={
          <Empty
            title="There is no such job in this browser’s archive"
            next={{ label: 'All archived jobs', to: paths.archive() }}
          />
        }
      >
        {(found) => found && <Found stored={found} account={account} />}
      </View>
      {deleting && (
        <DeleteArchivedDialog
          account={account}
          ids={[id]}
          name={name}
          onClose={() => setDeleting(false)}
          onDeleted={() => void navigate(paths.archive(), { replace: true })}
        />
      )}
    </Page>
  );
}

function Found({ stored, account }: { stored: StoredJob; account: string }) {
  const { job, archived, bytes, outcome, devices } = stored;
  return (
    <>
      <JobFactList
        job={job}
        target={targetText(targetOf(job))}
        more={[
          ['Archived', <Time key="at" at={archived} />],
          ['Stored', formatBytes(bytes)],
        ]}
      />
      {job.Command && (
        <details className={classes.command}>
          <summary>Command</summary>
          <pre tabIndex={0} aria-label="Command">
            {job.Command}
          </pre>
        </details>
      )}
      {devices > 1 && <OutcomeBar outcome={outcome} />}
      <ArchivedRows stored={stored} account={account} />
    </>
  );
}
