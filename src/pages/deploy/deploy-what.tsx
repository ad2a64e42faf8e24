// What a deploy runs: an artifact or a workflow, from one list.
import { useQuery } from '@tanstack/react-query';
import { artifactEndpoints, type Artifact } from '#/contract/artifacts.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { artifactQueries, artifactText } from '#/api/artifacts.ts';
import { workflowQueries } from '#/api/workflows.ts';
import { paths } from '#/paths.ts';
import { useDeployTarget } from '#/features/deploy-target/deploy-target.ts';
import { formatBytes } from '#/lib/format.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { Empty, NoDataYet } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import type { DeployChoice, PayloadKind } from './deploy-choice.ts';
import { Picker } from './picker.tsx';
import classes from './deploy.module.css';
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
      items: versions.map((artifact) => ({
        value: optionOf('artifact', artifact.ArtifactId),
        label: artifactText(artifact),
      })),
    }),
  );

/** The value of an option: its kind and its id. */
const optionOf = (kind: PayloadKind, id: string) => `${kind} ${id}`;
function choiceOf(option: string): [PayloadKind, string] {
  const [kind, ...id] = option.split(' ');
  return [kind === 'workflow' ? 'workflow' : 'artifact', id.join(' ')];
}

/** The path of the upload page, which returns here with the target. */
const useUploadPath = (): string => paths.artifacts(useDeployTarget());

function ArtifactOption({ artifact }: { artifact: Artifact }) {
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

interface WhatStepProps {
  payload: DeployChoice['payload'];
  onChoose: (kind: PayloadKind, value: string) => void;
}

function PayloadPicker({ payload: { kind, value }, onChoose }: WhatStepProps) {
  const artifacts = useQuery(artifactQueries.list());
  const workflows = useQuery(workflowQueries.list());
  const upload = useUploadPath();
  const noUpload = useMay(artifactEndpoints.upload, 'Uploading artifacts');
  if (!artifacts.data) return <NoDataYet query={artifacts} name="artifacts" rows={2} />;
  if (!workflows.data) return <NoDataYet query={workflows} name="workflows" rows={2} />;
  if (artifacts.data.length + workflows.data.length === 0)
    return (
      <Empty
        title="No artifacts yet"
        next={{ label: 'Upload an artifact', variant: 'default', to: upload, why: noUpload }}
      >
        An artifact is a tar.gz with an update.sh, or a script.
      </Empty>
    );
  const byOption = new Map(artifacts.data.map((each) => [optionOf('artifact', each.ArtifactId), each]));
  const newest = [...byOption.values()].sort((one, two) => at(two.CreatedTime) - at(one.CreatedTime));
  const defined = workflows.data.map(({ WorkflowId, Name }) => ({
    value: optionOf('workflow', WorkflowId),
    label: Name || WorkflowId,
  }));
  const chosen = optionOf(kind, value);
  const missing = value !== '' && !byOption.has(chosen) && !defined.some((option) => option.value === chosen);
  return (
    <Picker
      label="Artifact or workflow"
      placeholder="Choose what to run"
      value={value === '' || missing ? '' : chosen}
      onPick={(option) => onChoose(...choiceOf(option))}
      data={[...byName(newest), ...(defined.length > 0 ? [{ group: 'Workflows', items: defined }] : [])]}
      renderOption={({ option }) => {
        const artifact = byOption.get(option.value);
        return artifact ? <ArtifactOption artifact={artifact} /> : option.label;
      }}
      error={missing && `This link’s ${kind} no longer exists. Choose another.`}
    />
  );
}

export function WhatStep(props: WhatStepProps) {
  const upload = useUploadPath();
  const noUpload = useMay(artifactEndpoints.upload, 'Uploading artifacts');
  const artifacts = useQuery(artifactQueries.list()).data;
  const workflows = useQuery(workflowQueries.list()).data;
  // The empty list says it itself.
  const isEmpty = artifacts?.length === 0 && workflows?.length === 0;
  return (
    <>
      <div className={classes.head}>
        <h2 id="deploy-what">What</h2>
        {!isEmpty && (
          <Gate why={noUpload}>
            <Link to={upload} className="small">
              Upload an artifact
            </Link>
          </Gate>
        )}
      </div>
      <PayloadPicker {...props} />
    </>
  );
}
