// Links from a job or a rollout to its target and to what it runs.
import { useQuery } from '@tanstack/react-query';
import { artifactQueries, artifactText } from '#/api/artifacts.ts';
import { tagQueries } from '#/api/tags.ts';
import { workflowQueries } from '#/api/workflows.ts';
import { paths } from '#/paths.ts';
import { ShortId } from '#/ui/controls/copy-button.tsx';
import { Link } from '#/ui/url/link.tsx';
import { targetText, type Target } from './job-words.ts';

/** A tag without a known name is shown by its id. */
export function TargetLink({ target }: { target: Target }) {
  const tags = useQuery({ ...tagQueries.list(), enabled: target.kind === 'tag', retry: false });
  switch (target.kind) {
    case 'device':
      return target.id ? <Link to={paths.device(target.id)}>{targetText(target)}</Link> : targetText(target);
    case 'group':
      return <Link to={paths.devices({ group: target.name })}>{targetText(target)}</Link>;
    case 'tag': {
      const name = tags.data?.find(({ TagId }) => TagId === target.id)?.TagName ?? target.name;
      return <Link to={paths.devices({ tag: target.id })}>{targetText({ ...target, name })}</Link>;
    }
    case 'several':
      return targetText(target);
  }
}

/** The name of the artifact or workflow while it exists; its id otherwise. */
export function PayloadLink({ artifact, workflow }: { artifact: string | undefined; workflow: string | undefined }) {
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: Boolean(artifact) });
  const workflows = useQuery({ ...workflowQueries.list(), enabled: Boolean(workflow) });
  if (artifact) {
    const found = artifacts.data?.find(({ ArtifactId }) => ArtifactId === artifact);
    return found ? (
      <Link to={paths.artifact(artifact)}>{artifactText(found)}</Link>
    ) : (
      <ShortId value={artifact} what="artifact id" />
    );
  }
  if (!workflow) return null;
  const found = workflows.data?.find(({ WorkflowId }) => WorkflowId === workflow);
  return found ? <Link to={paths.workflows()}>{found.Name}</Link> : <ShortId value={workflow} what="workflow id" />;
}
