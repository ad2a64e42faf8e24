// The details of one artifact, with the Command that devices run.
import type { ReactNode } from 'react';
import { Button, Group, Stack } from '@mantine/core';
import { useOffered } from '#/api/capabilities.ts';
import type { Artifact } from '#/contract/artifacts.ts';
import { ruleNameOf } from '#/contract/rule-name.ts';
import { paths } from '#/paths.ts';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import {
  ArtifactAge,
  ArtifactSize,
  UsageCounts,
  fileFaultText,
  typeOf,
  type ArtifactDialog,
} from './versions/artifact-facts.tsx';
import { ArtifactJobs } from './artifact-jobs.tsx';
import { VersionBars } from './version-bars.tsx';
import { usageIn, usageOf, type UsageIndex } from './versions/artifact-usage.ts';
import { useAuditLink } from '#/features/audit-link/use-audit-link.tsx';
import { CreatedBy } from '#/features/audit-link/origin.tsx';
import { useJobs } from '#/features/jobs/use-jobs.ts';
import { RuleFaults } from '#/features/rule-editor/rule-faults.tsx';
import { maskToken } from '#/features/jobs/mask-token.ts';
import { Link } from '#/ui/url/link.tsx';
import classes from './artifact-details.module.css';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

interface ArtifactDetailsProps {
  artifact: Artifact | undefined;
  /** All others, for those of the same content. */
  artifacts: readonly Artifact[];
  usage: UsageIndex;
  /** The service does not report which artifact a job runs. */
  isUsageUnknown: boolean;
  dialog: Dialog<ArtifactDialog>;
}

export function ArtifactDetails({ artifact, ...rest }: ArtifactDetailsProps) {
  return (
    <BaseDialog
      onClose={rest.dialog.close}
      size="lg"
      title={artifact ? <bdi>{`${artifact.Name} ${artifact.Version}`}</bdi> : 'No such artifact'}
    >
      {artifact ? <Facts artifact={artifact} {...rest} /> : <p>It may have been deleted since the link was created.</p>}
    </BaseDialog>
  );
}

function UsedBy({ artifact }: { artifact: Artifact }) {
  const usage = usageOf(useJobs({ artifact: artifact.ArtifactId }).data);
  if (!usage) return null;
  const { waiting, running, done } = usageIn(usage, artifact);
  const jobs = [...waiting, ...running, ...done];
  return (
    <div className={classes.used}>
      <h3>Used by</h3>
      {jobs.length > 0 ? (
        <>
          <UsageCounts artifacts={[artifact]} usage={usage} />
          <ArtifactJobs jobs={jobs} name="Jobs that use it" most={8} />
        </>
      ) : (
        <p className="dim">No jobs use it.</p>
      )}
    </div>
  );
}

const Fact = ({ name, copy, children }: { name: string; copy?: string; children?: ReactNode }) => (
  <>
    <dt>{name}</dt>
    {copy === undefined ? (
      <dd>{children}</dd>
    ) : (
      <dd className="copied">
        <span className="mono">{copy}</span> <CopyButton value={copy} what={name === 'Id' ? 'artifact id' : name} />
      </dd>
    )}
  </>
);

function Facts(props: ArtifactDetailsProps & { artifact: Artifact }) {
  const { artifact, artifacts, usage, isUsageUnknown, dialog } = props;
  const { ArtifactId, Name, Version, Command, Sha256, Destination, RunCommand } = artifact;
  const fault = fileFaultText(artifact);
  const audit = useAuditLink(ArtifactId);
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const hasRules = useOffered('rules') === true;
  const same = artifacts.filter((other) => other !== artifact && Sha256 && other.Sha256 === Sha256);
  return (
    <Stack gap="md">
      {fault !== undefined && (
        <p className={classes.fault} role="note">
          {fault}
        </p>
      )}
      {hasRules && <RuleFaults name={ruleNameOf(Name, Version)} className={classes.fault} />}
      <dl className={classes.facts}>
        <Fact name="Version">{Version}</Fact>
        <Fact name="Type">{typeOf(artifact)}</Fact>
        <Fact name="Size">
          <ArtifactSize artifact={artifact} />
        </Fact>
        <Fact name="Uploaded">
          <ArtifactAge artifact={artifact} />
          <CreatedBy object={ArtifactId} />
        </Fact>
        <Fact name="Id" copy={ArtifactId} />
        {Sha256 && <Fact name="SHA-256" copy={Sha256} />}
        {Destination && <Fact name="Folder" copy={Destination} />}
        {RunCommand && <Fact name="Runs" copy={RunCommand} />}
        {same.length > 0 && (
          <Fact name="Same content">
            {same.map((other) => (
              <bdi key={other.ArtifactId} className={classes.same}>{`${other.Name} ${other.Version}`}</bdi>
            ))}
          </Fact>
        )}
      </dl>
      <VersionBars artifact={ruleNameOf(Name, Version)} />
      {usage && <UsedBy artifact={artifact} />}
      {isUsageUnknown && <p className="dim">This service does not report which jobs use it.</p>}
      {Command && (
        <div className={classes.command}>
          <CommandLine label="Command" command={Command} shown={maskToken(Command, [Name, ArtifactId, Sha256])} />
          <p className="dim">
            What a device runs. Its token is hidden here but included when you copy: anyone who has it can download this
            artifact.
          </p>
        </div>
      )}
      <Group justify="flex-end" gap="sm">
        {audit}
        {hasRules && (
          <Button component={Link} {...dialog.link('rules', ArtifactId)}>
            Outcome rules…
          </Button>
        )}
        <Gate why={noDeploy}>
          <Button variant="filled" component={Link} to={paths.deploy({ artifact: ArtifactId })}>
            Deploy
          </Button>
        </Gate>
      </Group>
    </Stack>
  );
}
