// The head of a job's page: what it was aimed at, when, how long, its ids, its command.
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import type { Job } from '#/contract/jobs.ts';
import { artifactQueries, artifactText } from '#/api/artifacts.ts';
import { tagQueries } from '#/api/tags.ts';
import { workflowQueries } from '#/api/workflows.ts';
import { paths } from '#/paths.ts';
import { CopyButton, ShortId } from '#/ui/controls/copy-button.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { useAuditLink } from '#/features/audit-link/use-audit-link.tsx';
import { JobFactList } from '#/features/jobs/job-fact-list.tsx';
import { targetOf, targetText } from '#/features/jobs/job-words.ts';
import classes from './job-page.module.css';

function TargetLink({ job }: { job: Job }) {
  const tags = useQuery({ ...tagQueries.list(), enabled: Boolean(job.TagId), retry: false });
  const target = targetOf(job, tags.data);
  const text = targetText(target);
  switch (target.kind) {
    case 'device':
      return target.id ? <Link to={paths.device(target.id)}>{text}</Link> : text;
    case 'group':
      return <Link to={paths.devices({ group: target.name })}>{text}</Link>;
    case 'tag':
      return <Link to={paths.devices({ tag: target.id })}>{text}</Link>;
    case 'several':
      return text;
  }
}

/** The name of what ran, while it is still in the lists; its id otherwise. */
function Ran({ artifact, workflow }: { artifact: string | undefined; workflow: string | undefined }) {
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: Boolean(artifact) });
  const workflows = useQuery({ ...workflowQueries.list(), enabled: Boolean(workflow) });
  if (artifact) {
    const found = artifacts.data?.find(({ ArtifactId }) => ArtifactId === artifact);
    return found ? (
      <Link to={paths.artifacts()}>{artifactText(found)}</Link>
    ) : (
      <ShortId value={artifact} what="artifact id" />
    );
  }
  if (!workflow) return null;
  const found = workflows.data?.find(({ WorkflowId }) => WorkflowId === workflow);
  return found ? <Link to={paths.workflows()}>{found.Name}</Link> : <ShortId value={workflow} what="workflow id" />;
}

export function JobFacts({ job }: { job: Job }) {
  const { ArtifactId, WorkflowId, ExitCode, ArchivedTime } = job;
  const audit = useAuditLink(job.JobId);
  return (
    <JobFactList
      job={job}
      target={<TargetLink job={job} />}
      payload={[
        [
          ArtifactId ? 'Artifact' : 'Workflow',
          Boolean(ArtifactId || WorkflowId) && <Ran key="ran" artifact={ArtifactId} workflow={WorkflowId} />,
        ],
      ]}
      more={[
        ['Exit code', ExitCode ?? false],
        ['Archived', ArchivedTime !== undefined && <Time key="at" at={new Date(ArchivedTime)} raw={ArchivedTime} />],
        ['Changes', !job.ParentJobId && audit],
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
        </details>
      )}
    </JobFactList>
  );
}
