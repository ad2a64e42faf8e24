// What to archive, where to, and whether to delete it then: the question before executed jobs leave the service.
import '#/ui/form/checkbox.css';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, Checkbox, Stack, TextInput } from '@mantine/core';
import { isParent } from '#/api/job-state.ts';
import { requestOf } from '#/api/request-of.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { archiveQueries } from '#/features/job-archive/archive-queries.ts';
import { askToStay } from '#/features/job-archive/archive-store.ts';
import type { ArchivePlan } from '#/features/job-archive/run-archive.ts';
import { useAccount } from '#/features/job-archive/use-account.ts';
import { timesOf } from '#/features/jobs/job-times.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { DialogButtons } from '#/ui/dialog/dialog-buttons.tsx';
import { TypedWord } from '#/ui/dialog/typed-word.tsx';
import { counted, formatCount } from '#/lib/format.ts';
import classes from './archive-dialog.module.css';

const DAY = 86_400_000;

/** Those that ended more than this many days ago; without a readable time nobody knows, and they stay. */
function olderThan(jobs: readonly Job[], days: number, now: number): readonly Job[] {
  if (days <= 0) return jobs;
  return jobs.filter((job) => {
    const { ended, started, created } = timesOf(job);
    const at = ended ?? started ?? created;
    return at !== undefined && now - at.getTime() > days * DAY;
  });
}

/** What is sent for each: all of it is read first, that of each of its devices too. */
const requestsOf = (jobs: readonly Job[], copies: boolean, remove: boolean) =>
  jobs.flatMap((job) => {
    const one = { params: { job_id: job.JobId } };
    return [
      ...(copies ? [requestOf(jobEndpoints.get, one)] : []),
      ...(copies && isParent(job) ? [requestOf(jobEndpoints.children, one)] : []),
      ...(remove ? [requestOf(jobEndpoints.remove, one)] : []),
    ];
  });

export interface ArchiveChoice {
  /** Executed jobs: the selected ones, or those in the list. */
  jobs: readonly Job[];
  /** Whether a person has picked them one by one. */
  picked: boolean;
  /** What else was picked and still waits or runs. */
  moving: number;
  filtered: boolean;
}

interface ArchivePlanFormProps extends ArchiveChoice {
  onCancel: () => void;
  onStart: (plan: ArchivePlan, jobs: readonly Job[]) => void;
}

export function ArchivePlanForm({ jobs: all, picked, moving, filtered, onCancel, onStart }: ArchivePlanFormProps) {
  const account = useAccount();
  // Asked only for whether there is one: a private window has none.
  const archive = useQuery(archiveQueries.list(account));
  const unavailable = archive.error?.message;
  const [now] = useState(Date.now);
  const [days, setDays] = useState('0');
  const [wanted, setWanted] = useState({ browser: true, zip: false, remove: true });
  const [typed, setTyped] = useState('');
  const jobs = olderThan(all, Number(days), now);
  const browser = wanted.browser && unavailable === undefined;
  const { zip, remove } = wanted;
  const copies = browser || zip;
  const count = String(jobs.length);
  const missing =
    jobs.length === 0
      ? 'No executed job is left to choose.'
      : !copies && !remove
        ? 'Choose where a copy goes.'
        : remove && typed.trim() !== count
          ? `Type ${count} first.`
          : undefined;
  const verb = copies ? (remove ? 'Archive and delete' : 'Archive') : 'Delete without a copy';
  const set = (change: Partial<typeof wanted>) => setWanted({ ...wanted, ...change });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (missing) return;
        // Asked in the same turn as the click: a browser that asks the reader does so only then.
        if (browser) void askToStay();
        onStart({ ids: jobs.map(({ JobId }) => JobId), browser, zip, remove }, jobs);
      }}
    >
      <Stack gap="md">
        <p>
          <strong>{counted(jobs.length, 'executed job')}</strong>
          {picked ? ' of those selected' : filtered ? ' that match the filter' : ' in the list'}
          {picked && moving > 0 && `; ${formatCount(moving)} that wait or run are left alone`}. Everything that each
          device printed is fetched first.
        </p>
        {!picked && (
          <TextInput
            className={classes.days}
            type="number"
            min={0}
            max={3650}
            step={1}
            label="Ended more than this many days ago"
            description="0: all of them"
            value={days}
            onChange={(event) => setDays(event.currentTarget.value)}
          />
        )}
        <fieldset className={classes.choices}>
          <legend>Keep a copy</legend>
          <Checkbox
            label="In this browser"
            description={
              unavailable ??
              'Found again on the page Archive, by any word of their logs. Other browsers and people do not see it.'
            }
            disabled={unavailable !== undefined}
            checked={browser}
            onChange={(event) => set({ browser: event.currentTarget.checked })}
          />
          <Checkbox
            label="As a ZIP file"
            description="JSON and plain text, to be kept anywhere; it can be read back into an archive."
            checked={zip}
            onChange={(event) => set({ zip: event.currentTarget.checked })}
          />
        </fieldset>
        <fieldset className={classes.choices}>
          <legend>Then</legend>
          <Checkbox
            label="Delete them from the service"
            description={
              copies
                ? 'Each only after its copy is kept. A job that could not be archived stays.'
                : 'Nothing is kept: their results and output are lost for good.'
            }
            checked={remove}
            onChange={(event) => set({ remove: event.currentTarget.checked })}
          />
        </fieldset>
        {remove && jobs.length > 0 && <TypedWord word={count} value={typed} onChange={setTyped} />}
        {jobs.length > 0 && (copies || remove) && <ShowAsCurl request={() => requestsOf(jobs, copies, remove)} />}
        <DialogButtons onCancel={onCancel} note={missing && <span className="dim">{missing}</span>}>
          <Button variant="filled" type="submit" {...(remove && { color: 'red' })} disabled={missing !== undefined}>
            {verb}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}
