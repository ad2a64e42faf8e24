// What the choice of a deploy stands for at this moment: the devices it reaches and the thing that will run.
import { useQuery } from '@tanstack/react-query';
import type { Artifact } from '#/contract/artifacts.ts';
import type { Device } from '#/contract/devices.ts';
import type { Workflow } from '#/contract/workflows.ts';
import { artifactQueries, artifactText } from '#/api/artifacts.ts';
import { deviceQueries } from '#/api/devices.ts';
import { memberQueries } from '#/api/members.ts';
import { tagQueries } from '#/api/tags.ts';
import { workflowQueries } from '#/api/workflows.ts';
import type { DeployChoice } from './deploy-choice.ts';

export interface Reach {
  /** In words: "camera-7", "group lab". Undefined while there is no choice. */
  label: string | undefined;
  /** What is typed to confirm, beside the count; undefined for a single device. */
  confirm: string | undefined;
  /** Undefined until they are read. */
  devices: Device[] | undefined;
  /** When they were read. */
  at: Date;
  error: Error | null;
  isFetching: boolean;
  refetch: () => unknown;
}

export function useReach({ kind, value }: DeployChoice['target']): Reach {
  const chosen = value !== '';
  const device = useQuery({ ...deviceQueries.one(value), enabled: chosen && kind === 'device', retry: false });
  const filter = kind === 'group' ? { device_group: value } : { device_tag: value };
  const members = useQuery({ ...memberQueries.of(filter), enabled: chosen && kind !== 'device' });
  const tags = useQuery({ ...tagQueries.list(), enabled: kind === 'tag', retry: false });
  const query = kind === 'device' ? device : members;
  const state = {
    at: new Date(query.dataUpdatedAt),
    error: query.error,
    isFetching: query.isFetching,
    refetch: query.refetch,
  };
  if (!chosen) return { ...state, label: undefined, confirm: undefined, devices: undefined, error: null };
  if (kind === 'device')
    return {
      ...state,
      label: device.data?.DeviceName || value,
      confirm: undefined,
      devices: device.data && [device.data],
    };
  const name = (kind === 'tag' && tags.data?.find(({ TagId }) => TagId === value)?.TagName) || value;
  return { ...state, label: `${kind} ${name}`, confirm: name, devices: members.data };
}

export type Thing = { artifact: Artifact; text: string } | { workflow: Workflow; text: string };

/** Undefined while nothing is chosen, and for an id that is not in the lists. */
export function useThing({ kind, value }: DeployChoice['thing']): Thing | undefined {
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: kind === 'artifact' });
  const workflows = useQuery({ ...workflowQueries.list(), enabled: kind === 'workflow' });
  if (kind === 'artifact') {
    const artifact = artifacts.data?.find(({ ArtifactId }) => ArtifactId === value);
    return artifact && { artifact, text: artifactText(artifact) };
  }
  const workflow = workflows.data?.find(({ WorkflowId }) => WorkflowId === value);
  return workflow && { workflow, text: workflow.Name || workflow.WorkflowId };
}
