// Runs an artifact or workflow on many devices: one job for each, since a selection is no group.
import { useState } from 'react';
import { Link } from 'react-router';
import { Button, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { artifactQueries } from '#/api/artifacts.ts';
import { bulkDeploy } from '#/api/bulk.ts';
import { workflowQueries } from '#/api/workflows.ts';
import type { Device } from '#/contract/devices.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { devicesText } from '#/fleet/bulk-plan.ts';
import { BulkSteps } from '#/fleet/bulk-steps.tsx';
import type { BulkActionProps } from '#/fleet/bulk-steps.tsx';
import { paths } from '#/paths.ts';
import { formatCount } from '#/ui/format.ts';
import { Failure } from '#/ui/view.tsx';

type Kind = 'artifact' | 'workflow';

interface Thing {
  id: string;
  text: string;
}

const LONGEST_NAME = 255;
const at = (text: string) => parseTimestamp(text)?.getTime() ?? 0;

export function DeployAction(frame: BulkActionProps) {
  const [kind, setKind] = useState<Kind>('artifact');
  const [id, setId] = useState('');
  const [typedName, setTypedName] = useState<string>();
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: kind === 'artifact' });
  const workflows = useQuery({ ...workflowQueries.list(), enabled: kind === 'workflow' });
  const query = kind === 'artifact' ? artifacts : workflows;
  const things: Thing[] =
    kind === 'artifact'
      ? [...(artifacts.data ?? [])]
          .sort((one, two) => at(two.CreatedTime) - at(one.CreatedTime))
          .map(({ ArtifactId, Name, Version }) => ({ id: ArtifactId, text: [Name, Version].filter(Boolean).join(' ') }))
      : (workflows.data ?? []).map(({ WorkflowId, Name }) => ({ id: WorkflowId, text: Name || WorkflowId }));
  const thing = things.find((each) => each.id === id);
  const suggested = thing ? `${thing.text} to ${devicesText(frame.devices.length)}` : '';
  const name = (typedName ?? suggested.slice(0, LONGEST_NAME)).trim();
  const choose = (next: Kind) => {
    setKind(next);
    setId('');
  };
  return (
    <BulkSteps
      {...frame}
      order={{
        what: 'Deploy',
        keep: () => undefined,
        does: ['gets a job', 'get a job each'],
        fault: !thing
          ? `Choose ${kind === 'artifact' ? 'an artifact' : 'a workflow'} first.`
          : name === ''
            ? 'Name must not be empty.'
            : undefined,
        button: (count) => `Deploy to ${devicesText(count)}`,
        typed: frame.devices.length > 1,
        prepare: () => bulkDeploy({ Name: name, [kind === 'artifact' ? 'ArtifactId' : 'WorkflowId']: id }),
      }}
      note={(change) => <Readiness devices={change} />}
      onward={
        <Button component={Link} to={paths.jobs({ name })} variant="default">
          See the jobs
        </Button>
      }
    >
      <SegmentedControl
        aria-label="Kind of deploy"
        value={kind}
        onChange={choose}
        data={[
          { value: 'artifact', label: 'Artifact (recommended)' },
          { value: 'workflow', label: 'Workflow (legacy)' },
        ]}
      />
      {query.error && !query.data ? (
        <Failure what={`${kind}s`} error={query.error} busy={query.isFetching} onRetry={query.refetch} />
      ) : (
        <Select
          label={kind === 'artifact' ? 'Artifact' : 'Workflow'}
          placeholder={
            query.data?.length === 0
              ? `There are no ${kind}s yet`
              : `Choose ${kind === 'artifact' ? 'an artifact' : 'a workflow'}`
          }
          searchable
          data-autofocus
          value={id || null}
          onChange={(next) => setId(next ?? '')}
          data={things.map(({ id: value, text: label }) => ({ value, label }))}
          nothingFoundMessage={`No ${kind} has such a name`}
          maxDropdownHeight={280}
        />
      )}
      <TextInput
        label="Name"
        description="Names each of the jobs in the list of jobs"
        maxLength={LONGEST_NAME}
        value={typedName ?? suggested}
        onChange={(event) => setTypedName(event.currentTarget.value)}
      />
    </BulkSteps>
  );
}

/** Which of them run it now. */
export function Readiness({ devices }: { devices: Device[] }) {
  const online = devices.filter(({ DeviceStatus }) => DeviceStatus === 'Online').length;
  const waiting = devices.length - online;
  return (
    <p>
      {online > 0 &&
        `${formatCount(online)} ${online === 1 ? 'is' : 'are'} Online: it runs there after what is queued. `}
      {waiting > 0 &&
        `${formatCount(waiting)} ${waiting === 1 ? 'is' : 'are'} not Online: it waits there until the device comes.`}
    </p>
  );
}
