// A group as a CSV file: which devices, how each ended, and the line it said.
import type { Job } from '#/contract/jobs.ts';
import { nextTask } from '#/lib/pace.ts';
import { csvLine, csvText } from '#/lib/csv.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';
import { tellingLineOf } from '#/features/failure-groups/failure-client.ts';
import type { FailureGroup } from '#/features/failure-groups/grouper.ts';

/** Rows between two turns of the page. */
const PORTION = 200;

export async function exportGroup(members: readonly Job[], { ended }: FailureGroup): Promise<void> {
  const parts = [
    csvText([['device', 'device id', 'ended', 'exit code', 'said', 'started', 'ended at', 'job', 'job id']]),
  ];
  for (let from = 0; from < members.length; from += PORTION) {
    if (from > 0) await nextTask();
    for (const job of members.slice(from, from + PORTION)) {
      const { DeviceName = '', DeviceId, ExitCode, StartTime, EndTime, JobName, JobId } = job;
      const said = tellingLineOf(job);
      parts.push(
        csvLine([DeviceName, DeviceId, ended, String(ExitCode ?? ''), said, StartTime, EndTime, JobName, JobId]),
      );
    }
  }
  saveFile(datedName('failed-devices'), parts);
}
