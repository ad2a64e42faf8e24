import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { rolloutQueries } from './rollouts.ts';

const ROLLOUT = {
  RolloutId: 'r1',
  Name: 'myapp',
  State: 'Running',
  Version: 1,
  Because: '',
  Wave: 1,
  WaveCount: 1,
  Devices: 1,
  Counts: { Running: 1 },
  CreatedTime: '',
  EndTime: '',
  Waves: [],
  Steps: [],
  Settings: {
    Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
    PauseAfter: { FailedCount: 0 },
    Advance: 'auto',
    Windows: [],
    IncludeNew: false,
  },
};
const device = (State: string) => ({
  DeviceId: 'd1',
  DeviceName: 'pump',
  Wave: 1,
  State,
  Because: '',
  JobId: 'j1',
  Attempt: 1,
});

test('the devices of a rollout are refetched with the rollout', async (t) => {
  let state = 'Running';
  t.mock.method(globalThis, 'fetch', async (input: string | URL | Request) => {
    const path = String(input instanceof Request ? input.url : input);
    if (path.includes('/devices')) return Response.json({ Items: [device(state)], Next: '' });
    if (path.includes('/states')) return Response.json([{ Wave: 1, State: state, DeviceIds: ['d1'] }]);
    return Response.json({ ...ROLLOUT, Counts: { [state]: 1 } });
  });
  const client = new QueryClient();
  t.after(() => client.clear());
  const list = new InfiniteQueryObserver(client, rolloutQueries.devices('r1', { state: undefined, wave: undefined }));
  const map = new QueryObserver(client, rolloutQueries.states('r1'));
  const shown = () => [list.getCurrentResult().data?.[0]?.State, map.getCurrentResult().data?.[0]?.State];
  const both = (wanted: string) =>
    new Promise<void>((resolve) => {
      const look = () => shown().every((each) => each === wanted) && resolve();
      t.after(list.subscribe(look));
      t.after(map.subscribe(look));
      look();
    });
  await both('Running');
  state = 'Failed';
  const { Counts } = await client.query(rolloutQueries.one('r1'));
  assert.deepEqual(Counts, { Failed: 1 });
  await both('Failed');
  assert.deepEqual(shown(), ['Failed', 'Failed']);
});
