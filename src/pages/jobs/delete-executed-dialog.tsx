// Deletes many executed jobs: a typed count first, then a few at a time, with what became of each.
import { useEffect, useRef, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Button, Group, Modal, Stack } from '@mantine/core';
import type { Job } from '#/contract/jobs.ts';
import { jobMutations } from '#/api/jobs.ts';
import type { Removal } from '#/api/jobs.ts';
import { ConfirmDialog } from '#/ui/confirm-dialog.tsx';
import { VirtualTable } from '#/ui/virtual-table.tsx';
import type { VirtualColumn } from '#/ui/virtual-table.tsx';
import { formatCount } from '#/ui/format.ts';
import { FormError } from '#/ui/view.tsx';

const jobsText = (count: number) => (count === 1 ? '1 executed job' : `${formatCount(count)} executed jobs`);

const columnsOf = (names: Map<string, string>): VirtualColumn<Removal>[] => [
  { header: 'Job', cell: ({ id }) => names.get(id) || id, width: '45%' },
  { header: 'Why', cell: ({ error }) => <span title={error?.message}>{error?.message}</span>, phone: 'second' },
];

interface DeleteExecutedDialogProps {
  /** Those that have ended, as the list shows them. */
  jobs: Job[];
  filtered: boolean;
  onClose: () => void;
}

export function DeleteExecutedDialog({ jobs: current, filtered, onClose }: DeleteExecutedDialogProps) {
  // What was asked about is what is deleted, whatever else ends meanwhile.
  const [jobs] = useState(current);
  const [results, setResults] = useState<Removal[]>([]);
  const [stopping, setStopping] = useState(false);
  const stop = useRef<AbortController>(undefined);
  const remove = useMutation(jobMutations.removeMany());
  // Leaving the page stops it, too: nothing is deleted behind the reader's back.
  useEffect(() => () => stop.current?.abort(), []);

  const run = (ids: string[]) => {
    if (remove.isPending) return;
    const control = new AbortController();
    stop.current = control;
    setStopping(false);
    setResults([]);
    remove.mutate({ ids, signal: control.signal, onEach: (result) => setResults((all) => [...all, result]) });
  };

  if (remove.isIdle)
    return (
      <ConfirmDialog
        opened
        onClose={onClose}
        title={`Delete ${jobsText(jobs.length)}`}
        confirmLabel="Delete"
        typed={String(jobs.length)}
        busy={false}
        error={null}
        onConfirm={() => run(jobs.map(({ JobId }) => JobId))}
      >
        <p>
          Their results and output are deleted, on all devices they ran on
          {filtered && '. Only jobs that match the filter are deleted'}. Jobs that wait or run are left alone.
        </p>
        <p className="dim">This cannot be undone.</p>
      </ConfirmDialog>
    );

  const failed = results.filter(({ error }) => error);
  const names = new Map(jobs.map(({ JobId, JobName }) => [JobId, JobName]));
  const running = remove.isPending;
  return (
    <Modal
      opened
      onClose={running ? () => undefined : onClose}
      title="Delete executed jobs"
      centered
      closeButtonProps={{ 'aria-label': 'Close', disabled: running }}
    >
      <Stack gap="md">
        <p role="status">
          {running ? 'Deleting: ' : stopping ? 'Stopped: ' : ''}
          {formatCount(results.length - failed.length)} of {formatCount(jobs.length)} deleted
          {failed.length > 0 && `, ${formatCount(failed.length)} failed`}.
        </p>
        <FormError error={remove.error} />
        {failed.length > 0 && (
          <VirtualTable
            name="Jobs that could not be deleted"
            bounded
            rows={failed}
            rowKey={({ id }) => id}
            columns={columnsOf(names)}
          />
        )}
        <Group justify="flex-end" gap="sm">
          {running ? (
            <Button
              variant="default"
              disabled={stopping}
              onClick={() => {
                setStopping(true);
                stop.current?.abort();
              }}
            >
              {stopping ? 'Stopping' : 'Stop'}
            </Button>
          ) : (
            <>
              {failed.length > 0 && (
                <Button variant="default" onClick={() => run(failed.map(({ id }) => id))}>
                  Try those again
                </Button>
              )}
              <Button onClick={onClose}>Done</Button>
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
