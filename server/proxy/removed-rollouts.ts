// Earlier versions of the gateway ran rollouts themselves, with a token of the operator. Before their tables are
// dropped, unfinished rollouts are written to a file: nothing else records which devices they had reached, and their
// jobs are still queued at the upstream service.
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isOver, type RolloutState } from '#/contract/rollouts.ts';
import { systemCode } from '../store/system-fault.ts';
import { log } from '../operation/log.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const time = (value: unknown): string => (typeof value === 'number' ? new Date(value).toISOString() : '');

/** Writes unfinished rollouts to `removed-rollouts.json` and logs that. Writes nothing if all had finished. */
export function saveUnfinishedRollouts(sqlite: DatabaseSync, folder: string): void {
  const rollouts = unfinishedRollouts(sqlite);
  if (rollouts.length === 0) return;
  const file = writeOnce(folder, 'removed-rollouts', `${JSON.stringify({ Rollouts: rollouts }, undefined, 2)}\n`);
  const names = rollouts.map(({ Name, State }) => `“${Name}” (${State})`).join(', ');
  log.warn(
    `Rollouts in front of another service were removed, and no longer go on: ${names}. ${file} has their settings and what each device got. Jobs that it lists with an id are still with that service: delete those that must not run, and submit jobs for the other devices there.`,
    { rollouts: rollouts.length, file },
  );
}

interface SavedDevice {
  DeviceId: string;
  DeviceName: string;
  Wave: number;
  LeftOut: boolean;
  /** '' if the job was not sent, or the upstream service never returned an id. */
  JobId: string;
  JobName: string;
  /** `NotSubmitted` means that the upstream service has no job for the device. */
  JobStatus: string;
}

function unfinishedRollouts(sqlite: DatabaseSync) {
  const rows = sqlite.prepare('SELECT r.*, a.upstream, a.email FROM rollouts r JOIN accounts a ON a.id = r.account_id');
  const devices = sqlite.prepare(
    `SELECT d.device_id, d.device_name, d.wave, d.skipped, j.id, j.name, j.status, j.sent FROM rollout_devices d
     LEFT JOIN rollout_waves w ON w.rollout_seq = d.rollout_seq AND w.number = d.wave
     LEFT JOIN jobs j ON j.parent_seq = w.job_seq AND j.device_id = d.device_id AND j.superseded = 0
     WHERE d.rollout_seq = ? ORDER BY d.wave, d.device_id`,
  );
  return rows.all().flatMap((row) => {
    const Devices = devices.all(row['seq'] ?? 0).map((device): SavedDevice => {
      const isSent = typeof device['sent'] === 'number';
      return {
        DeviceId: text(device['device_id']),
        DeviceName: text(device['device_name']),
        Wave: Number(device['wave']) + 1,
        LeftOut: device['skipped'] === 1,
        JobId: text(device['id']),
        JobName: isSent ? text(device['name']) : '',
        JobStatus: isSent ? text(device['status']) : 'NotSubmitted',
      };
    });
    // An aborted rollout may have jobs that had not been deleted yet.
    const isUnderWay = Devices.some(({ JobStatus }) => JobStatus === 'Waiting' || JobStatus === 'Running');
    if (isOver(row['state'] as RolloutState) && !isUnderWay) return [];
    return [
      {
        RolloutId: text(row['id']),
        Name: text(row['name']),
        State: text(row['state']),
        Because: text(row['because']),
        Upstream: text(row['upstream']),
        UserEmail: text(row['email']),
        CreatedTime: time(row['created']),
        WavesBegun: Number(row['wave']) + 1,
        Settings: JSON.parse(text(row['settings'])) as unknown,
        Devices,
      },
    ];
  });
}

/** Writes a file atomically and durably, and never overwrites one with other content. */
function writeOnce(folder: string, name: string, content: string): string {
  const draft = path.join(folder, `${name}.tmp`);
  writeFileSync(draft, content, { mode: 0o600, flush: true });
  try {
    for (let number = 1; ; number++) {
      const file = path.join(folder, `${name}${number === 1 ? '' : `-${number}`}.json`);
      try {
        linkSync(draft, file);
      } catch (cause) {
        if (systemCode(cause) !== 'EEXIST') throw cause;
        if (readFileSync(file, 'utf8') !== content) continue;
      }
      return file;
    }
  } finally {
    rmSync(draft);
    const handle = openSync(folder, 'r');
    fsyncSync(handle);
    closeSync(handle);
  }
}
