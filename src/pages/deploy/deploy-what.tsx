// Second step of a deploy: an artifact, or a workflow of the legacy method.
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { artifactEndpoints, type Artifact } from '#/contract/artifacts.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { artifactQueries, artifactText } from '#/api/artifacts.ts';
import { workflowQueries } from '#/api/workflows.ts';
import { paths } from '#/paths.ts';
import { useDeployTarget } from '#/features/deploy-target/deploy-target.ts';
import { formatBytes } from '#/lib/format.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { Empty, NoDataYet } from '#/ui/page/view.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { Link } from '#/ui/url/link.tsx';
import type { DeployChoice, PayloadKind } from './deploy-choice.ts';
import { Picker, type PickerProps } from './picker.tsx';
import classes from './deploy.module.css';
import { workflowEndpoints } from '#/contract/workflows.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const at = (text: string) => parseTimestamp(text)?.getTime() ?? 0;

/** The actual size if the service knows it; the document leaves the unit of `Size` open. */
export const sizeText = ({ SizeBytes, Size }: Artifact): string =>
  SizeBytes !== undefined ? formatBytes(SizeBytes) : Size === undefined ? '' : `size ${Size}`;

/** `newest`: newest first. Groups the versions of a name at the place of the newest one. */
const byName = (newest: readonly Artifact[]) =>
  Array.from(
    Map.groupBy(newest, ({ Name }) => Name),
    ([group, versions]) => ({
      group,
      items: versions.map((artifact) => ({ value: artifact.ArtifactId, label: artifactText(artifact) })),
    }),
  );

/** The path of the upload page, which returns here with the target. */
const useUploadPath = (): string => paths.artifacts(useDeployTarget());

function ArtifactPicker({ value, onPick }: PickerProps) {
  const artifacts = useQuery(artifactQueries.list());
  const { data } = artifacts;
  const upload = useUploadPath();
  const noUpload = useMay(artifactEndpoints.upload, 'Uploading artifacts');
  if (!data) return <NoDataYet query={artifacts} name="artifacts" rows={2} />;
  if (data.length === 0)
    return (
      <Empty
        title="No artifacts yet"
        next={{ label: 'Upload an artifact', variant: 'default', to: upload, why: noUpload }}
      >
        An artifact is a tar.gz with an update.sh, or a script.
      </Empty>
    );
  const byId = new Map(data.map((artifact) => [artifact.ArtifactId, artifact]));
  const newest = [...byId.values()].sort((one, two) => at(two.CreatedTime) - at(one.CreatedTime));
  const missing = value !== '' && !byId.has(value);
  return (
    <>
      <Picker
        label="Artifact"
        placeholder="Choose an artifact"
        value={missing ? '' : value}
        onPick={onPick}
        data={byName(newest)}
        renderOption={({ option }) => <ArtifactOption artifact={byId.get(option.value)} />}
        error={missing && 'This link’s artifact no longer exists. Choose another.'}
      />
      <Gate why={noUpload}>
        <Link to={upload} className="small">
          Upload an artifact
        </Link>
      </Gate>
    </>
  );
}

function ArtifactOption({ artifact }: { artifact: Artifact | undefined }) {
  if (!artifact) return null;
  return (
    <span className={classes.option}>
      <span className={classes.optionName}>{artifact.Name}</span>
      <span>{artifact.Version}</span>
      <span className={classes.optionMore}>
        {artifact.IsScript ? 'script' : 'tar.gz'} · {sizeText(artifact)} · <Timestamp text={artifact.CreatedTime} />
      </span>
    </span>
  );
}

function WorkflowPicker({ value, onPick }: PickerProps) {
  const workflows = useQuery(workflowQueries.list());
  const { data } = workflows;
  const upload = useUploadPath();
  const noDefine = useMay(workflowEndpoints.create, 'Creating workflows');
  const noUpload = useMay(artifactEndpoints.upload, 'Uploading artifacts');
  if (!data) return <NoDataYet query={workflows} name="workflows" rows={2} />;
  if (data.length === 0)
    return (
      <Empty
        title="There are no workflows"
        action={
          <>
            <Gate why={noDefine}>
              <Button component={Link} to={paths.workflows()}>
                Define a workflow
              </Button>
            </Gate>
            <Gate why={noUpload}>
              <Button component={Link} to={upload}>
                Upload an artifact
              </Button>
            </Gate>
          </>
        }
      >
        Workflows are legacy. Prefer an artifact.
      </Empty>
    );
  const missing = value !== '' && !data.some(({ WorkflowId }) => WorkflowId === value);
  return (
    <Picker
      label="Workflow"
      placeholder="Choose a workflow"
      value={missing ? '' : value}
      onPick={onPick}
      data={data.map(({ WorkflowId, Name }) => ({ value: WorkflowId, label: Name || WorkflowId }))}
      error={missing && 'This link’s workflow no longer exists. Choose another.'}
    />
  );
}

interface WhatStepProps {
  payload: DeployChoice['payload'];
  onChoose: (kind: PayloadKind, value: string) => void;
}

export function WhatStep({ payload: { kind, value }, onChoose }: WhatStepProps) {
  const onPick = (next: string) => onChoose(kind, next);
  return (
    <>
      <SegmentedControl
        aria-label="Kind of deploy"
        value={kind}
        onChange={(next) => onChoose(next, '')}
        data={[
          { value: 'artifact', label: 'Artifact (recommended)' },
          { value: 'workflow', label: 'Workflow (legacy)' },
        ]}
      />
      {kind === 'artifact' ? (
        <ArtifactPicker value={value} onPick={onPick} />
      ) : (
        <WorkflowPicker value={value} onPick={onPick} />
      )}
    </>
  );
}
