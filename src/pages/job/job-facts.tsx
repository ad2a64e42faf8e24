// The facts of a job: its target, times, duration, ids and command.
import type { Job } from '#/contract/jobs.ts';
import { useAuditLink } from '#/features/audit-link/use-audit-link.tsx';
import { Duration } from '#/features/jobs/duration.tsx';
import { PayloadLink, TargetLink } from '#/features/jobs/job-links.tsx';
import { timesOf } from '#/features/jobs/job-times.ts';
import { targetOf } from '#/features/jobs/job-words.ts';
import { CopyButton, ShortId } from '#/ui/controls/copy-button.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { FactList } from '#/ui/page/fact-list.tsx';
import classes from './job-page.module.css';

const LATER = new Set(['Submitted', 'Started', 'Ended', 'Archived', 'Changes', 'Job ID']);

export function JobFacts({ job }: { job: Job }) {
  const { JobId, ArtifactId, WorkflowId, ExitCode, ArchivedTime, CreatedTime, StartTime, EndTime } = job;
  const { created, started, ended } = timesOf(job);
  const audit = useAuditLink(JobId);
  return (
    <FactList
      later={LATER}
      facts={[
        ['Target', <TargetLink key="target" target={targetOf(job)} />],
        [
          ArtifactId ? 'Artifact' : 'Workflow',
          Boolean(ArtifactId || WorkflowId) && <PayloadLink key="ran" artifact={ArtifactId} workflow={WorkflowId} />,
        ],
        ['Submitted', CreatedTime !== undefined && <Time key="at" at={created} raw={CreatedTime} />],
        ['Started', <Time key="at" at={started} raw={StartTime} />],
        ['Ended', <Time key="at" at={ended} raw={EndTime} />],
        ['Duration', <Duration key="for" job={job} />],
        ['Exit code', ExitCode ?? false],
        ['Archived', ArchivedTime !== undefined && <Time key="at" at={new Date(ArchivedTime)} raw={ArchivedTime} />],
        ['Changes', !job.ParentJobId && audit],
        ['Job ID', <ShortId key="id" value={JobId} what="job id" />],
      ]}
    >
      {job.Command && (
        <details className={classes.command}>
          <summary>Command</summary>
          <div>
            <pre tabIndex={0} aria-label="Command">
              {job.Command}
            </pre>
            <CopyButton value={job.Command} what="command" />
          </div>
          {job.Command.includes('token=•') && (
            <p className="dim">
              The download token is hidden. To run this by hand, copy the Command from the artifact’s details: its link
              works for a day.
            </p>
          )}
        </details>
      )}
    </FactList>
  );
}
