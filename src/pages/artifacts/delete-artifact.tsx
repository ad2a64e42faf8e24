// Confirms the deletion of an artifact: which jobs would fail, and how much space it frees.
import type { Artifact } from '#/contract/artifacts.ts';
import { artifactMutations } from '#/api/artifacts.ts';
import { UNFINISHED_JOBS } from '#/api/job-pages.ts';
import { useJobs } from '#/features/jobs/use-jobs.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { devicesText, formatBytes, formatCount } from '#/lib/format.ts';
import { ArtifactJobs } from './artifact-jobs.tsx';
import { usageIn, usageOf } from './versions/artifact-usage.ts';
import classes from './artifact-jobs.module.css';

const MOST = 5;

/** The text to type: the name, or a word if the name is hard to type. */
const typeable = (name: string) => (/^[\x20-\x7e]{1,80}$/.test(name.trim()) ? name.trim() : 'delete');

export function DeleteArtifact({ artifact, onClose }: { artifact: Artifact; onClose: () => void }) {
  const { ArtifactId, Name, Version, SizeBytes } = artifact;
  // Read again, because a cached list could miss a job.
  const jobs = useJobs({ ...UNFINISHED_JOBS, artifact: ArtifactId }, { most: 500, staleTime: 0 });
  const index = usageOf(jobs.data);
  const usage = index && usageIn(index, artifact);
  // Unknown, so the artifact may be needed.
  const unread = jobs.data === undefined;
  const waits = usage !== undefined && usage.waiting.length > 0;
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Delete artifact"
      confirmLabel="Delete artifact"
      typed={waits || unread ? typeable(Name) : undefined}
      write={artifactMutations.remove(ArtifactId)}
    >
      <div className={classes.used}>
        <p>
          <strong>
            <bdi>
              {Name} {Version}
            </bdi>
          </strong>{' '}
          will be deleted permanently{SizeBytes === undefined ? '' : ` and frees ${formatBytes(SizeBytes)}`}. Devices
          that already ran it stay as they are.
        </p>
        {usage ? (
          <>
            {waits && (
              <>
                <p>
                  <strong>
                    {usage.waiting.length === 1 ? '1 job waits' : `${formatCount(usage.waiting.length)} jobs wait`} for
                    it and would fail, on {devicesText(usage.waitingDevices)}:
                  </strong>
                </p>
                <ArtifactJobs jobs={usage.waiting} name="Jobs that would fail" most={MOST} />
              </>
            )}
            {usage.running.length > 0 && (
              <p>
                {usage.running.length === 1 ? '1 job is' : `${formatCount(usage.running.length)} jobs are`} running it:
                a device that has not fetched it yet would fail, too.
              </p>
            )}
            {!waits && usage.running.length === 0 && <p>No waiting jobs need it.</p>}
          </>
        ) : jobs.error ? (
          <p>Waiting jobs could not be loaded. Those that need it will fail.</p>
        ) : unread ? (
          <p>Checking for waiting jobs…</p>
        ) : (
          <p>This service does not report which jobs use it. Those that still wait for it will fail.</p>
        )}
      </div>
    </ConfirmDialog>
  );
}
