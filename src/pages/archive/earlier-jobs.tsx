// Jobs that an earlier version has archived in this browser: a JSON file of them, and then their removal.
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { sessionQueries } from '#/api/session.ts';
import { earlierArchive } from '#/features/job-archive/earlier-archive.ts';
import { jobsText } from '#/features/jobs/job-words.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError } from '#/ui/page/view.tsx';
import classes from './archive.module.css';

export function EarlierJobs() {
  const account = useQuery(sessionQueries.current()).data?.UserEmail ?? '';
  const jobs = useQuery(earlierArchive.list(account)).data ?? [];
  const save = useWrite(earlierArchive.save(account, jobs));
  const [removing, setRemoving] = useState(false);
  if (jobs.length === 0) return null;
  return (
    <section aria-label="Jobs in this browser" className={classes.earlier}>
      <p>An earlier version archived {jobsText(jobs.length)} in this browser, where nobody else sees them.</p>
      <div>
        <Button size="xs" loading={save.isPending} onClick={() => save.mutate()}>
          Save as a JSON file
        </Button>
        <Button
          size="xs"
          disabled={!save.isSuccess}
          title={save.isSuccess ? '' : 'Save the JSON file first'}
          onClick={() => setRemoving(true)}
        >
          Remove from this browser…
        </Button>
      </div>
      <FormError error={save.error} />
      {removing && (
        <ConfirmDialog
          title={`Remove ${jobsText(jobs.length)} from this browser`}
          confirmLabel="Remove"
          write={earlierArchive.remove(account)}
          onClose={() => setRemoving(false)}
          onDone={() => setRemoving(false)}
        >
          <p>The saved JSON file is then the only copy.</p>
          <p className="dim">This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
