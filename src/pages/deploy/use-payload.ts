// The payload of a deploy: the artifact or workflow named in the URL.
import { useQuery } from '@tanstack/react-query';
import type { Artifact } from '#/contract/artifacts.ts';
import type { Workflow } from '#/contract/workflows.ts';
import { artifactQueries, artifactText } from '#/api/artifacts.ts';
import { workflowQueries } from '#/api/workflows.ts';
import type { DeployChoice } from './deploy-choice.ts';

export type Payload = { artifact: Artifact; text: string } | { workflow: Workflow; text: string };

/** Undefined if nothing is chosen or the id is unknown; null while the lists load. */
export function usePayload({ kind, value }: DeployChoice['payload']): Payload | null | undefined {
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: kind === 'artifact' });
  const workflows = useQuery({ ...workflowQueries.list(), enabled: kind === 'workflow' });
  if (value !== '' && (kind === 'artifact' ? artifacts : workflows).isPending) return null;
  if (kind === 'artifact') {
    const artifact = artifacts.data?.find(({ ArtifactId }) => ArtifactId === value);
    return artifact && { artifact, text: artifactText(artifact) };
  }
  const workflow = workflows.data?.find(({ WorkflowId }) => WorkflowId === value);
  return workflow && { workflow, text: workflow.Name || workflow.WorkflowId };
}
