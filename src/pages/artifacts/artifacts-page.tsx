// Artifacts: a file is dropped or chosen, checked here, uploaded; below it the registry with its storage.
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { Artifact } from '#/contract/artifacts.ts';
import { accountQueries } from '#/api/account.ts';
import { artifactQueries } from '#/api/artifacts.ts';
import { paths } from '#/paths.ts';
import { Page } from '#/ui/page.tsx';
import { useDialog } from '#/ui/use-dialog.ts';
import { useFocusBack } from '#/ui/use-focus-back.ts';
import { Empty, FormError, View } from '#/ui/view.tsx';
import { ArtifactDetails } from './artifact-details.tsx';
import type { ArtifactDialog } from './artifact-table.tsx';
import { DeleteArtifact } from './delete-artifact.tsx';
import { BrowseButton, DropStrip, DropVeil, useWindowDrop } from '#/ui/drop-area.tsx';
import { readChosen } from './inspect-file.ts';
import type { ChosenFile } from './inspect-file.ts';
import { UploadGuard } from './upload-guard.tsx';
import { Registry } from './registry.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { uploadFindings } from './upload-findings.ts';
import { useUpload } from './use-upload.ts';
import classes from './artifacts-page.module.css';

const WHAT = 'Drop a tar.gz with an update.sh in it, or a single script, anywhere on this page.';

export function ArtifactsPage() {
  const artifacts = useQuery(artifactQueries.list());
  const account = useQuery(accountQueries.get());
  const dialog = useDialog<ArtifactDialog>('artifact');
  useFocusBack(dialog.name !== null);
  const [file, setFile] = useState<ChosenFile>();
  const [stored, setStored] = useState<Artifact>();
  const [refusal, setRefusal] = useState<Error | null>(null);
  const [discarded, setDiscarded] = useState(false);
  const upload = useUpload((artifact) => {
    setFile(undefined);
    setStored(artifact);
  });
  const sending = upload.transfer !== undefined;

  const choose = async (files: File[]) => {
    const [first] = files;
    if (!first || files.length > 1) return setRefusal(new Error('Drop one file at a time.'));
    try {
      setFile(await readChosen(first));
      setRefusal(null);
      setStored(undefined);
      setDiscarded(false);
      upload.forget();
    } catch (error) {
      setRefusal(error as Error);
    }
  };
  const onChoose = (files: File[]) => void choose(files);
  const over = useWindowDrop(sending, onChoose);
  const discard = () => {
    setFile(undefined);
    setDiscarded(true);
    upload.forget();
  };

  const known = artifacts.data;
  const nothingYet = known?.length === 0;
  const subject = known?.find(({ ArtifactId }) => ArtifactId === dialog.subject);
  return (
    <Page title="Artifacts" lead="What devices run: a tar.gz with an update.sh in it, or a single script.">
      <DropVeil over={over}>
        {sending ? 'One at a time: wait for the upload, or cancel it' : 'Drop to check the file'}
      </DropVeil>
      <UploadGuard active={sending} what={file?.name ?? 'The file'} />
      <FormError error={refusal} />
      {stored && <Stored artifact={stored} />}
      {file && (
        <UploadPanel
          file={file}
          upload={upload}
          furtherFindings={(chosen, version) => uploadFindings(chosen, version, account.data, known ?? [])}
          onChoose={onChoose}
          onDiscard={discard}
        />
      )}
      {!file && !nothingYet && (known || artifacts.error) && (
        <DropStrip onChoose={onChoose} label="Artifact file" focused={discarded}>
          {WHAT}
        </DropStrip>
      )}
      <View
        query={artifacts}
        name="artifacts"
        isEmpty={({ length }) => length === 0}
        empty={
          file ? null : (
            <Empty
              title="No artifacts yet"
              action={
                <BrowseButton onChoose={onChoose} label="Artifact file" variant="filled" focused={discarded}>
                  Browse files
                </BrowseButton>
              }
            >
              {WHAT} It is checked here before anything is sent.
            </Empty>
          )
        }
      >
        {(all) => <Registry artifacts={all} dialog={dialog} marked={stored?.ArtifactId} account={account.data} />}
      </View>
      {dialog.name === 'details' && known && <ArtifactDetails artifact={subject} onClose={dialog.close} />}
      {dialog.name === 'delete' && subject && (
        <DeleteArtifact artifact={subject} onDeleted={() => setStored(undefined)} onClose={dialog.close} />
      )}
    </Page>
  );
}

function Stored({ artifact: { ArtifactId, Name, Version } }: { artifact: Artifact }) {
  const next = useRef<HTMLAnchorElement>(null);
  // In place of the form's button, which had the focus and is gone.
  useEffect(() => next.current?.focus(), [ArtifactId]);
  return (
    <div className={classes['stored']} role="status">
      <IconCheck size={18} stroke={1.6} aria-hidden />
      <span>
        <strong>
          {Name} {Version}
        </strong>{' '}
        is stored and ready to deploy.
      </span>
      <Button component={Link} to={paths.deploy({ artifact: ArtifactId })} ref={next}>
        Deploy it
      </Button>
    </div>
  );
}
