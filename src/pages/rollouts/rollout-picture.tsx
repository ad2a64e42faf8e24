// The picture of a rollout over all of its waves, each with a mark where it started.
import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { IconPlayerPlay } from '@tabler/icons-react';
import type { Rollout, RolloutDeviceState, RolloutRun, RolloutWave } from '#/contract/rollouts.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { rolloutQueries } from '#/api/rollouts.ts';
import { JobPicture } from '#/features/job-picture/job-picture.tsx';
import { axisOf, type Run, type RunState } from '#/features/job-picture/runs.ts';
import { paths } from '#/paths.ts';
import { useNow } from '#/ui/controls/time.tsx';
import { View } from '#/ui/page/view.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { rolloutUrl } from './rollout-devices.tsx';

const STATES: Partial<Record<RolloutDeviceState, RunState>> = {
  Succeeded: 'succeeded',
  NotBack: 'succeeded',
  Failed: 'failed',
  RolledBack: 'rolled-back',
  NoAnswer: 'no-answer',
};

function runOf({ JobId, DeviceName, DeviceId, State, StartTime, EndTime }: RolloutRun): Run[] {
  const from = parseTimestamp(StartTime)?.getTime();
  if (from === undefined) return [];
  const to = EndTime === '' ? undefined : parseTimestamp(EndTime)?.getTime();
  const state = to === undefined ? 'running' : (STATES[State] ?? 'other');
  return [{ key: JobId, name: DeviceName || DeviceId, from, to, state }];
}

/** The waves that have started, without those whose mark would cover that of one before. */
function startsOf(waves: readonly RolloutWave[], { begin, end }: { begin: number; end: number }) {
  const starts: { at: number; wave: number }[] = [];
  for (const { Number: wave, StartTime } of waves) {
    const at = StartTime === '' ? undefined : parseTimestamp(StartTime)?.getTime();
    const last = starts.at(-1);
    if (at !== undefined && (!last || at - last.at > (end - begin) / 10)) starts.push({ at, wave });
  }
  return starts;
}

const NONE: RolloutRun[] = [];

export function RolloutPicture({ rollout: { RolloutId, Devices, Waves } }: { rollout: Rollout }) {
  const reading = useQuery(rolloutQueries.runs(RolloutId));
  const [{ time, took }, url] = useUrlState(rolloutUrl);
  const navigate = useNavigate();
  const rows = reading.data ?? NONE;
  const runs = useMemo(() => rows.flatMap(runOf), [rows]);
  const now = useNow().getTime();
  const { search } = url.to({});
  const marks = useMemo(
    () =>
      startsOf(Waves, axisOf(runs, now)).map(({ at, wave }) => {
        const to = new URLSearchParams(search);
        to.set('wave', String(wave));
        return { at, label: `Wave ${wave} started`, to: `?${to}`, Icon: IconPlayerPlay };
      }),
    [Waves, runs, now, search],
  );
  return (
    <View query={reading} name="the timeline" empty={null} rows={6}>
      {() => (
        <JobPicture
          runs={runs}
          devices={Devices}
          brush={{ time, took }}
          onBrush={(brush) => url.set({ ...brush })}
          linkOf={({ key }) => ({ to: paths.job(key) })}
          onOpen={({ key }) => void navigate(paths.job(key))}
          marks={marks}
        />
      )}
    </View>
  );
}
