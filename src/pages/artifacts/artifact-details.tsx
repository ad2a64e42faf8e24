// All that is known of one artifact, with the Command that devices run.
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Button, Group, Stack } from '@mantine/core';
import type { Artifact } from '#/contract/artifacts.ts';
import { paths } from '#/paths.ts';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { ArtifactAge, ArtifactSize, fileFaultText, typeOf } from './versions/artifact-facts.tsx';
import type { ArtifactDialog } from './versions/artifact-facts.tsx';
import { ArtifactJobs } from './artifact-jobs.tsx';
import { UsageCounts } from './versions/artifact-usage-counts.tsx';
import { usageIn } from './versions/artifact-usage.ts';
import type { UsageIndex } from './versions/artifact-usage.ts';
import { maskToken } from '#/features/jobs/mask-token.ts';
import classes from './artifact-details.module.css';

interface ArtifactDetailsProps {
  artifact: Artifact | undefined;
  /** All others, for those of the same content. */
  artifacts: readonly Artifact[];
  usage: UsageIndex;
  /** The jobs were read, and do not show which artifact they run. */
  usageUntold: boolean;
  dialog: Dialog<ArtifactDialog>;
}

export function ArtifactDetails({ artifact, artifacts, usage, usageUntold, dialog }: ArtifactDetailsProps) {
  return (
    <BaseDialog
      onClose={dialog.close}
      size="lg"
      title={artifact ? <bdi>{`${artifact.Name} ${artifact.Version}`}</bdi> : 'No such artifact'}
    >
      {artifact ? (
        <Facts artifact={artifact} artifacts={artifacts} dialog={dialog}>
          <UsedBy artifact={artifact} usage={usage} untold={usageUntold} />
        </Facts>
      ) : (
        <p>It is not in the registry. It may have been deleted since the link was made.</p>
      )}
    </BaseDialog>
  );
}

/** How many jobs are named. */
const MOST = 8;

function UsedBy({ artifact, usage, untold }: { artifact: Artifact; usage: UsageIndex; untold: boolean }) {
  if (!usage) return untold ? <p className="dim">This service does not report which jobs use it.</p> : null;
  const { waiting, running, done } = usageIn(usage, artifact);
  const jobs = [...waiting, ...running, ...done];
  return (
    <div className={classes.used}>
      <h3>Used by</h3>
      {jobs.length > 0 ? (
        <>
          <UsageCounts artifacts={[artifact]} usage={usage} />
          <ArtifactJobs jobs={jobs} name="Jobs that use it" most={MOST} />
        </>
      ) : (
        <p className="dim">No job refers to it.</p>
      )}
    </div>
  );
}

interface FactsProps {
  artifact: Artifact;
  artifacts: readonly Artifact[];
  dialog: Dialog<ArtifactDialog>;
  children: ReactNode;
}

function Facts({ artifact, artifacts, dialog, children }: FactsProps) {
  const { ArtifactId, Name, Version, Command, Sha256 } = artifact;
  const fault = fileFaultText(artifact);
  const same = artifacts.filter((other) => other !== artifact && Sha256 && other.Sha256 === Sha256);
  return (
    <Stack gap="md">
      {fault !== undefined && (
        <p className={classes.fault} role="note">
          {fault}
        </p>
      )}
      <dl className={classes.facts}>
        <dt>Version</dt>
        <dd>{Version}</dd>
        <dt>Type</dt>
        <dd>{typeOf(artifact)}</dd>
        <dt>Size</dt>
        <dd>
          <ArtifactSize artifact={artifact} />
        </dd>
        <dt>Uploaded</dt>
        <dd>
          <ArtifactAge artifact={artifact} />
        </dd>
        <dt>Id</dt>
        <dd className="copied">
          <span className="mono">{ArtifactId}</span> <CopyButton value={ArtifactId} what="artifact id" />
        </dd>
        {Sha256 && (
          <>
            <dt>SHA-256</dt>
            <dd className="copied">
              <span className="mono">{Sha256}</span> <CopyButton value={Sha256} what="SHA-256" />
            </dd>
          </>
        )}
        {same.length > 0 && (
          <>
            <dt>Same content</dt>
            <dd>
              {same.map((other) => (
                <bdi key={other.ArtifactId} className={classes.same}>{`${other.Name} ${other.Version}`}</bdi>
              ))}
            </dd>
          </>
        )}
      </dl>
      {children}
      {Command && (
        <div className={classes.command}>
          <CommandLine label="Command" command={Command} shown={maskToken(Command, [Name, ArtifactId, Sha256])} />
          <p className="dim">
            What a device runs. Its token is hidden here but goes along when copied: with it, anyone can download this
            artifact.
          </p>
        </div>
      )}
      <Group justify="flex-end" gap="sm">
        <Button component={Link} variant="default" {...dialog.link('rules', ArtifactId)}>
          Outcome rules…
        </Button>
        <Button component={Link} to={paths.deploy({ artifact: ArtifactId })}>
          Deploy
        </Button>
      </Group>
    </Stack>
  );
}
