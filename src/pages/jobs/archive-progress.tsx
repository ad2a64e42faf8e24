// How an archive run goes, and what became of each job when it has ended.
import { Button, Group, Stack } from '@mantine/core';
import { Link } from 'react-router';
import type { Job } from '#/contract/jobs.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';
import type { ArchiveResult } from '#/features/job-archive/run-archive.ts';
import type { RunningArchive } from '#/features/job-archive/use-archive-run.ts';
import { paths } from '#/paths.ts';
import { formatBytes, formatCount } from '#/lib/format.ts';
import { FormError } from '#/ui/page/view.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import type { Column } from '#/ui/table/table.tsx';
import classes from './archive-dialog.module.css';

const WORDS: Record<ArchiveResult['state'], string> = {
  archived: 'Archived',
  deleted: 'Deleted',
  left: 'Left',
  gone: 'Gone',
  failed: 'Failed',
};
const WHY: Partial<Record<ArchiveResult['state'], string>> = { gone: 'Somebody else has deleted it.' };

const columnsOf = (names: ReadonlyMap<string, string>): Column<ArchiveResult>[] => [
  { header: 'Job', cell: ({ id }) => names.get(id) || id, width: '38%' },
  { header: 'Result', cell: ({ state }) => WORDS[state], width: '16%' },
  {
    header: 'Why',
    cell: ({ state, why = WHY[state] }) => <span title={why}>{why}</span>,
    width: '46%',
    phone: 'wide',
  },
];
const keyOf = ({ id }: ArchiveResult) => id;

/** "12 deleted, 1 failed". */
function summaryOf(results: ReadonlyMap<string, ArchiveResult>, untouched: number): string {
  const states = Array.from(results.values(), ({ state }) => state);
  const counts = Object.entries(WORDS).map(([state, word]) => ({
    count: states.filter((each) => each === state).length,
    word: word.toLowerCase(),
  }));
  return (
    [...counts, { count: untouched, word: 'not touched' }]
      .filter(({ count }) => count > 0)
      .map(({ count, word }) => `${formatCount(count)} ${word}`)
      .join(', ') || 'Nothing was done'
  );
}

interface ArchiveProgressProps {
  run: RunningArchive;
  jobs: readonly Job[];
  removes: boolean;
  onClose: () => void;
}

export function ArchiveProgress({ run, jobs, removes, onClose }: ArchiveProgressProps) {
  const names = new Map(jobs.map(({ JobId, JobName }) => [JobId, JobName]));
  const { results, total, ended, at, busy, phase } = run;
  const zip = run.archive?.zip;
  const troubles = [...results.values()].filter(({ state }) => state !== 'archived' && state !== 'deleted');
  const archived = run.archive?.archived.length ?? 0;
  const save = () => zip && saveFile(datedName('muster-archive', new Date(), 'zip'), zip, 'application/zip');
  return (
    <Stack gap="md">
      <div role="status">
        {busy ? (
          <>
            <strong>
              {phase === 'deleting' ? 'Deleting' : removes ? 'Archiving and deleting' : 'Archiving'}:{' '}
              {formatCount(ended)} of {formatCount(total)}
            </strong>
            {at && at.total > 1 && (
              <p className="dim">
                <bdi>{names.get(at.id) || at.id}</bdi>: output of {formatCount(at.done)} of {formatCount(at.total)}{' '}
                devices
              </p>
            )}
          </>
        ) : (
          <strong>{summaryOf(results, jobs.length - results.size)}.</strong>
        )}
      </div>
      {busy && <progress aria-label="Progress of the archive" max={Math.max(1, total)} value={ended} />}
      {!busy && zip && (
        <div className={classes.file}>
          <p>
            The ZIP file is ready, {formatBytes(zip.size)}.
            {phase === 'archived' && ' Save it, look that it is there, and then delete the jobs.'}
          </p>
          <Button size="xs" onClick={save}>
            Save the ZIP file
          </Button>
        </div>
      )}
      <FormError error={run.error} />
      {troubles.length > 0 && (
        <VirtualTable
          name="Jobs that were not archived and deleted"
          bounded
          rows={troubles}
          rowKey={keyOf}
          columns={columnsOf(names)}
        />
      )}
      <Group justify="flex-end" gap="sm">
        {busy ? (
          <Button disabled={run.cancelling} onClick={run.cancel}>
            {run.cancelling ? 'Stopping' : 'Stop'}
          </Button>
        ) : (
          <>
            {archived > 0 && phase === 'ended' && (
              <Button component={Link} to={paths.archive()}>
                Open the archive
              </Button>
            )}
            {phase === 'archived' && (
              <Button variant="filled" color="red" onClick={run.remove}>
                Delete {archived === 1 ? 'the job' : `the ${formatCount(archived)} jobs`}
              </Button>
            )}
            <Button variant={phase === 'archived' ? 'default' : 'filled'} onClick={onClose}>
              {phase === 'archived' ? 'Keep them' : 'Done'}
            </Button>
          </>
        )}
      </Group>
    </Stack>
  );
}
