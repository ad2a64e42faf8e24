// The artifacts page: files are chosen, checked in the browser and uploaded; below them is the registry.
import { useMemo, useState, useEffect, useSyncExternalStore } from 'react';
import { Button } from '@mantine/core';
import { IconPackage } from '@tabler/icons-react';
import { useQuery, useMutation } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { artifactQueries, artifactMutations } from '#/api/artifacts.ts';
import { endUpload } from '#/api/resumable.ts';
import { UNFINISHED_JOBS } from '#/api/job-pages.ts';
import { useJobs } from '#/features/jobs/use-jobs.ts';
import type { Account } from '#/contract/account.ts';
import type { Artifact } from '#/contract/artifacts.ts';
import { BrowseButton, DropStrip, DropVeil, useWindowDrop } from '#/ui/form/drop-area.tsx';
import { DeploySample } from '#/features/install/deploy-sample.tsx';
import { ArtifactTabs } from '#/features/page-tabs/page-tabs.tsx';
import { paths } from '#/paths.ts';
import { useDeployTarget } from '#/features/deploy-target/deploy-target.ts';
import { Page } from '#/ui/page/page.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { useDeferredQuery } from '#/ui/use-deferred-query.ts';
import { Empty, FormError, View } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import type { ArtifactDialog } from './versions/artifact-facts.tsx';
import { usageOf } from './versions/artifact-usage.ts';
import { droppedEntries } from './builder/picked-files.ts';
import { chooseFiles } from './upload/choose-files.ts';
import { DeleteArtifact } from './delete-artifact.tsx';
import { Registry } from './registry.tsx';
import { uploadFindings } from './upload/upload-findings.ts';
import { UploadGuard } from './upload/upload-guard.tsx';
import { UploadPanel } from './upload/upload-panel.tsx';
import { isUnderWay, UploadQueue, type QueuedFile } from './upload/upload-queue.ts';
import { UploadRoom } from './upload/upload-room.tsx';
import { judgeFile } from './upload/upload-state.ts';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const WHAT =
  'A tar.gz with an update.sh in it, a single script, or a folder to pack. Each is checked here before it is sent.';

const DeleteArtifactVersions = lazyDialog(() => import('./delete-artifact-versions.tsx'), 'DeleteArtifactVersions');
const BuilderDialog = lazyDialog(() => import('./builder/builder-dialog.tsx'), 'BuilderDialog');

function useArtifacts() {
  const artifacts = useQuery(artifactQueries.list());
  const listed = useDeferredQuery(artifacts);
  const account = useQuery(accountQueries.get()).data;
  const jobs = useJobs(UNFINISHED_JOBS, { most: 500 });
  const usage = useMemo(() => usageOf(jobs.data), [jobs.data]);
  // Usage comes from the list of jobs, so the page is as old as that.
  const oldest = Math.min(listed.dataUpdatedAt, jobs.dataUpdatedAt || listed.dataUpdatedAt);
  return {
    artifacts,
    listed: { ...listed, dataUpdatedAt: oldest },
    account,
    usage,
    isUsageUnknown: jobs.data !== undefined && usage === undefined,
  };
}

/** The queue of uploads with its checks. `known`: the stored artifacts. */
function useUploads(known: Artifact[] = [], account: Account | undefined) {
  const [queue, items] = useUploadQueue();
  const [state, setState] = useState<{ focused?: string; refusal: Error | null; isEmptied: boolean }>({
    refusal: null,
    isEmptied: false,
  });
  const marked = useMemo(
    () => new Set(items.flatMap(({ stage }) => (stage.name === 'stored' ? [stage.artifact.ArtifactId] : []))),
    [items],
  );
  const change = (patch: Partial<typeof state>) => setState((now) => ({ ...now, ...patch }));
  return {
    ...state,
    queue,
    /** Ids of the artifacts that were stored. */
    marked,
    judged: items.map((item) =>
      judgeFile(item, ({ file: { name, size }, fields, checked, isBegun }) =>
        uploadFindings(
          // The service counts one that it has a part of already.
          { name, size: isBegun ? 0 : size, version: fields.version.trim(), sha256: checked?.sha256 },
          account,
          known,
        ),
      ),
    ),
    underWay: items.filter(isUnderWay).map(({ file }) => file.name),
    canContinue: items.filter(isUnderWay).every(({ isBegun }) => isBegun),
    prepared: items.filter((item) => !isUnderWay(item) && item.stage.name !== 'stored').map(({ file }) => file.name),
    /** Adds files to the queue; `at`: the first replaces that one. */
    choose: async (files: File[], at?: string) => {
      change({ isEmptied: false });
      const { first, refused } = await chooseFiles(queue, files, known, at);
      change({ refusal: refused, ...(first && { focused: first }) });
    },
    /** Adds an archive that the builder has checked. `isReady`: it is sent at once. */
    addBuilt: async (file: File, version: string, isReady: boolean) => {
      change({ isEmptied: false });
      const { first, refused } = await chooseFiles(queue, [file], known);
      change({ refusal: refused });
      const id = first ?? queue.snapshot().find((item) => item.file.name === file.name && !isUnderWay(item))?.id;
      if (id === undefined || refused) return;
      queue.fill(id, { version });
      if (isReady) queue.start(id);
    },
    onEmptied: () => change({ isEmptied: true }),
  };
}

export function ArtifactsPage() {
  const { artifacts, listed, account, usage, isUsageUnknown } = useArtifacts();
  const known = artifacts.data;
  const deployTo = useDeployTarget();
  const isForDeploy = Object.keys(deployTo).length > 0;
  const uploads = useUploads(known, account);
  const { judged } = uploads;
  const dialog = useDialog<ArtifactDialog>('artifact');
  const noUpload = useMay(artifactEndpoints.upload, 'Uploading artifacts');
  const building = dialog.name === 'build';
  // For the dialog that the drop opens.
  const [dropped, setDropped] = useState<FileSystemEntry[]>();
  const closeBuilder = () => {
    setDropped(undefined);
    dialog.close();
  };
  const onChoose = (files: File[]) => void uploads.choose(files);
  const over = useWindowDrop(building || noUpload !== undefined, (files, transfer) => {
    const entries = droppedEntries(transfer);
    if (!entries) return onChoose(files);
    setDropped(entries);
    dialog.open('build');
  });
  const nothing = known?.length === 0 && judged.length === 0;
  const subject = known?.find(({ ArtifactId }) => ArtifactId === dialog.subject);
  return (
    <Page
      title="Artifacts"
      back={isForDeploy && <Link to={paths.deploy(deployTo)}>Deploy</Link>}
      lead="What devices run: a tar.gz with an update.sh in it, or a single script."
      actions={
        <Gate why={noUpload}>
          <Button
            component={Link}
            {...dialog.link('build')}
            leftSection={<IconPackage size={18} stroke={1.6} aria-hidden />}
          >
            Build from a folder
          </Button>
        </Gate>
      }
    >
      <ArtifactTabs />
      <DropVeil over={over}>{noUpload ?? 'Drop to check the files'}</DropVeil>
      <UploadGuard names={uploads.underWay} prepared={uploads.prepared} canContinue={uploads.canContinue} />
      <FormError error={uploads.refusal} />
      {!nothing && (known || artifacts.error || judged.length > 0) && (
        <DropStrip
          why={noUpload}
          onChoose={onChoose}
          label="Artifact files"
          multiple
          variant={judged.length > 0 ? 'default' : 'filled'}
          focused={uploads.isEmptied}
        >
          {noUpload ?? (
            <>
              <strong>Drop files anywhere on this page</strong>
              <br />
              {WHAT}
            </>
          )}
        </DropStrip>
      )}
      {judged.length > 0 && (
        <UploadPanel
          items={judged}
          queue={uploads.queue}
          focused={uploads.focused}
          onReplace={(item, files) => void uploads.choose(files, item.id)}
          onEmptied={uploads.onEmptied}
        >
          <UploadRoom items={judged} account={account} artifacts={known ?? []} usage={usage} dialog={dialog} />
        </UploadPanel>
      )}
      <View
        query={listed}
        name="artifacts"
        isEmpty={({ length }) => length === 0}
        empty={
          judged.length > 0 ? null : (
            <Empty
              title="No artifacts yet"
              action={
                <>
                  <BrowseButton
                    why={noUpload}
                    onChoose={onChoose}
                    label="Artifact files"
                    multiple
                    variant="filled"
                    focused={uploads.isEmptied}
                  >
                    Browse files
                  </BrowseButton>
                  <DeploySample />
                </>
              }
            >
              {noUpload ?? `Drop files anywhere on this page. ${WHAT}`}
            </Empty>
          )
        }
      >
        {(all) => (
          <Registry
            artifacts={all}
            dialog={dialog}
            marked={uploads.marked}
            account={account}
            usage={usage}
            isUsageUnknown={isUsageUnknown}
          />
        )}
      </View>
      <BuilderDialog
        open={
          building && {
            dropped,
            why: noUpload,
            artifacts: known ?? [],
            conflictsOf: (file) => uploadFindings(file, account, known ?? []),
            onBuilt: (file, version, isReady) => {
              closeBuilder();
              void uploads.addBuilt(file, version, isReady);
            },
            onClose: closeBuilder,
          }
        }
      />
      {dialog.name === 'delete' && subject && <DeleteArtifact artifact={subject} onClose={dialog.close} />}
      <DeleteArtifactVersions open={dialog.name === 'old' && known && { artifacts: known, onClose: dialog.close }} />
    </Page>
  );
}

function useUploadQueue(): [queue: UploadQueue, items: readonly QueuedFile[]] {
  const { mutateAsync } = useMutation(artifactMutations.upload());
  const [queue] = useState(() => new UploadQueue(mutateAsync, { discard: endUpload }));
  // The user has agreed to leave the page, so no upload continues in the background.
  useEffect(() => () => queue.close(), [queue]);
  return [queue, useSyncExternalStore(queue.subscribe, queue.snapshot)];
}
