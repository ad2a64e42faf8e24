// Deletes old versions: how many of each artifact to keep, which are deleted, and the result for each.
import { useState } from 'react';
import type { Artifact } from '#/contract/artifacts.ts';
import { changedBy } from '#/api/query.ts';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import { artifactRemoval, artifactText } from '#/api/artifacts.ts';
import { UNFINISHED_JOBS } from '#/api/job-pages.ts';
import { useJobs } from '#/features/jobs/use-jobs.ts';
import { RunSteps } from '#/features/bulk/run-steps.tsx';
import { useBulkRun, type BulkKind } from '#/features/bulk/use-bulk-run.ts';
import { counted, formatBytes, formatCount } from '#/lib/format.ts';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import type { Column } from '#/ui/table/table.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { planCleanup } from './artifact-cleanup.ts';
import { ArtifactAge, ArtifactSize } from './versions/artifact-facts.tsx';
import { usageOf } from './versions/artifact-usage.ts';
import classes from './artifact-jobs.module.css';
import { useMay } from '#/api/people.ts';

const KEEP = ['1', '2', '3', '5', '10'];

const KIND: BulkKind<Artifact> = { keyOf: ({ ArtifactId }) => ArtifactId, nameOf: artifactText, noun: 'artifact' };

const COLUMNS: Column<Artifact>[] = [
  {
    header: 'Name',
    phone: 'wide',
    cell: (artifact) => <span title={artifactText(artifact)}>{artifactText(artifact)}</span>,
  },
  { header: 'Size', width: '90px', align: 'end', cell: (artifact) => <ArtifactSize artifact={artifact} /> },
  {
    header: 'Uploaded',
    width: '110px',
    phone: 'second',
    cell: (artifact) => <ArtifactAge artifact={artifact} />,
  },
];

interface DeleteArtifactVersionsProps {
  artifacts: readonly Artifact[];
  onClose: () => void;
}

export function DeleteArtifactVersions({ artifacts, onClose }: DeleteArtifactVersionsProps) {
  // All of them: an artifact that one of them needs must stay.
  const jobs = useJobs(UNFINISHED_JOBS, { most: Infinity, staleTime: 0 });
  const usage = usageOf(jobs.data);
  const [keep, setKeep] = useState('3');
  // The plan is fixed with the click, since the registry shrinks while artifacts are deleted.
  const [settled, setSettled] = useState<readonly Artifact[]>();
  const run = useBulkRun(KIND, changedBy(artifactEndpoints.remove));
  const why = useMay(artifactEndpoints.remove, 'Deleting artifacts');
  const plan = planCleanup(artifacts, Number(keep), usage);
  const { needed, frees } = plan;
  const going = settled ?? plan.going;
  return (
    <BaseDialog
      title="Delete old versions"
      size="lg"
      why={why}
      closeOnClickOutside={false}
      busy={run.needsPage}
      onClose={onClose}
    >
      <RunSteps
        run={run}
        items={going}
        what="Delete old versions"
        fault={jobs.data === undefined ? 'Still checking which jobs need an artifact' : undefined}
        button={`Delete ${counted(going.length, 'artifact')}`}
        typed
        danger
        fields={
          <div className={classes.used}>
            <span id="keep-newest">Versions to keep per artifact</span>
            <SegmentedControl aria-labelledby="keep-newest" data={KEEP} value={keep} onChange={setKeep} />
          </div>
        }
        plan={
          <>
            <p>
              {going.length === 0 ? (
                'Nothing would be deleted.'
              ) : (
                <>
                  <strong>{counted(going.length, 'artifact')}</strong> will be deleted permanently
                  {frees > 0 && `, freeing ${formatBytes(frees)}`}.
                </>
              )}{' '}
              {needed.length === 1 && 'One more old version stays: a job still needs it.'}
              {needed.length > 1 && `${formatCount(needed.length)} more old versions stay: jobs still need them.`}
            </p>
            {jobs.error && !jobs.data ? (
              <p>The jobs that wait for an artifact could not be loaded, so nothing can be deleted now.</p>
            ) : (
              jobs.data &&
              !usage && <p>This service does not report which jobs use an artifact. Those that wait will fail.</p>
            )}
          </>
        }
        list={
          going.length > 0 && (
            <VirtualTable name="Artifacts to delete" bounded rows={going} rowKey={KIND.keyOf} columns={COLUMNS} />
          )
        }
        requests={() => going.map(artifactRemoval.request)}
        write={() => {
          setSettled(going);
          return Promise.resolve(artifactRemoval);
        }}
        onClose={onClose}
      />
    </BaseDialog>
  );
}
