// Shown if the storage has no space for the uploads: how much is missing, and what could be deleted.
import { Button } from '@mantine/core';
import { IconDatabase } from '@tabler/icons-react';
import type { Account } from '#/contract/account.ts';
import type { Artifact } from '#/contract/artifacts.ts';
import { ApiError } from '#/api/api-error.ts';
import { formatBytes, formatCount } from '#/lib/format.ts';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { ArtifactAge, ArtifactSize, type ArtifactDialog } from '#/pages/artifacts/versions/artifact-facts.tsx';
import { isNeeded, type UsageIndex } from '#/pages/artifacts/versions/artifact-usage.ts';
import { roomLeft, spareArtifacts } from './upload-findings.ts';
import type { JudgedFile } from './upload-state.ts';
import classes from './upload.module.css';

interface UploadRoomProps {
  items: readonly JudgedFile[];
  account: Account | undefined;
  artifacts: readonly Artifact[];
  usage: UsageIndex;
  dialog: Dialog<ArtifactDialog>;
}

const MOST = 5;

const isFull = ({ stage }: JudgedFile) =>
  stage.name === 'failed' &&
  stage.error instanceof ApiError &&
  [403, 507].includes(stage.error.status) &&
  stage.error.permission === undefined;

export function UploadRoom({ items, account, artifacts, usage, dialog }: UploadRoomProps) {
  const room = roomLeft(account);
  const unsent = items.filter(({ stage, checked }) => {
    const hasError = checked?.findings.some(({ level }) => level === 'error');
    return stage.name !== 'stored' && !hasError;
  });
  const wanted = unsent.reduce((sum, { file, isBegun }) => sum + (isBegun ? 0 : file.size), 0);
  const missing = room === undefined ? undefined : wanted - room;
  if (missing === undefined ? !items.some(isFull) : missing <= 0) return null;

  const named = spareArtifacts(artifacts, usage).slice(0, MOST);
  const needed = artifacts.filter((artifact) => isNeeded(usage, artifact)).length;
  return (
    <div role="group" aria-label="Storage space" className={classes.room}>
      <IconDatabase size={18} stroke={1.6} aria-hidden />
      <div>
        <strong>
          {missing === undefined || room === undefined
            ? 'The service refused the upload; its storage may be full.'
            : `${formatBytes(missing)} more space is needed: ${
                unsent.length === 1 ? 'the file takes' : `the ${formatCount(unsent.length)} files take`
              } ${formatBytes(wanted)}, and ${formatBytes(room)} is free.`}
        </strong>
        {named.length > 0 ? (
          <>
            <p className="dim">You can free space by deleting these{usage ? '; no job waits for them' : ''}:</p>
            <ul className={classes.spare}>
              {named.map((artifact) => (
                <li key={artifact.ArtifactId}>
                  <bdi className={classes.spareName}>
                    {artifact.Name} {artifact.Version}
                  </bdi>
                  <span className="dim tabular">
                    <ArtifactSize artifact={artifact} /> · <ArtifactAge artifact={artifact} />
                  </span>
                  <Button
                    size="xs"
                    aria-label={`Delete ${artifact.Name} ${artifact.Version} to make room`}
                    onClick={() => dialog.open('delete', artifact.ArtifactId)}
                  >
                    Delete
                  </Button>
                </li>
              ))}
            </ul>
          </>
        ) : (
          <p className="dim">
            {needed > 0
              ? 'Jobs still need every artifact that is stored: wait until they have ended, or delete those jobs.'
              : 'There is nothing to delete: your plan sets the limit.'}
          </p>
        )}
      </div>
    </div>
  );
}
