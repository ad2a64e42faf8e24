// Saves a group of failures as CSV: its devices, how each ended, and the line by which it was grouped.
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { csvLine, csvText } from '#/contract/csv.ts';
import type { Job } from '#/contract/jobs.ts';
import { nextTask } from '#/lib/pace.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';
import { tellingLineOf } from './failure-client.ts';
import type { FailureGroup } from './shown-group.ts';

/** Rows per task. */
const PORTION = 200;

async function exportGroup(members: readonly Job[], { ended }: FailureGroup): Promise<void> {
  const parts = [
    csvText([['device', 'device id', 'ended', 'exit code', 'said', 'started', 'ended at', 'job', 'job id']]),
  ];
  for (let from = 0; from < members.length; from += PORTION) {
    if (from > 0) await nextTask();
    for (const job of members.slice(from, from + PORTION)) {
      const { DeviceName = '', DeviceId, ExitCode, StartTime, EndTime, JobName, JobId } = job;
      const cause = tellingLineOf(job);
      parts.push(
        csvLine([DeviceName, DeviceId, ended, String(ExitCode ?? ''), cause, StartTime, EndTime, JobName, JobId]),
      );
    }
  }
  saveFile(datedName('failed-devices'), parts);
}

export const ExportGroupButton = ({ members, group }: { members: readonly Job[]; group: FailureGroup }) => (
  <Button
    size="xs"
    leftSection={<IconDownload size={16} stroke={1.6} aria-hidden />}
    onClick={() => void exportGroup(members, group)}
  >
    Export CSV
  </Button>
);
