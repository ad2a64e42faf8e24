// All that is known of one artifact, with the Command that devices run.
import { Link } from 'react-router';
import { Button, Group, Modal, Stack } from '@mantine/core';
import type { Artifact } from '#/contract/artifacts.ts';
import { paths } from '#/paths.ts';
import { CopyButton } from '#/ui/copy-button.tsx';
import { CommandLine } from '#/ui/secret-dialog.tsx';
import type { Dialog } from '#/ui/use-dialog.ts';
import { ArtifactAge, ArtifactSize, typeOf } from './artifact-facts.tsx';
import type { ArtifactDialog } from './artifact-facts.tsx';
import { maskToken } from './mask-token.ts';
import classes from './artifact-details.module.css';

interface ArtifactDetailsProps {
  artifact: Artifact | undefined;
  dialog: Dialog<ArtifactDialog>;
}

export function ArtifactDetails({ artifact, dialog }: ArtifactDetailsProps) {
  return (
    <Modal
      opened
      onClose={dialog.close}
      size="lg"
      centered
      title={artifact ? `${artifact.Name} ${artifact.Version}` : 'No such artifact'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {artifact ? (
        <Facts artifact={artifact} dialog={dialog} />
      ) : (
        <p>It is not in the registry. It may have been deleted since the link was made.</p>
      )}
    </Modal>
  );
}

function Facts({ artifact, dialog }: { artifact: Artifact; dialog: Dialog<ArtifactDialog> }) {
  const { ArtifactId, Name, Version, Command, Sha256 } = artifact;
  return (
    <Stack gap="md">
      <dl className={classes['facts']}>
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
        <dd className={classes['copied']}>
          <span className="mono">{ArtifactId}</span> <CopyButton value={ArtifactId} what="artifact id" />
        </dd>
        {Sha256 && (
          <>
            <dt>SHA-256</dt>
            <dd className={classes['copied']}>
              <span className="mono">{Sha256}</span> <CopyButton value={Sha256} what="SHA-256" />
            </dd>
          </>
        )}
      </dl>
      {Command && (
        <div className={classes['command']}>
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
