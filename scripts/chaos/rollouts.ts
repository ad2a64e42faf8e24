// Rollouts in two waves over the whole fleet, one after the other. Whenever a device fails, because its power was cut, the
// rollout pauses, and is retried as an operator would.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from '#/contract/jobs.ts';
import type { Rollout } from '#/contract/rollouts.ts';
import { logged, PAUSE_MS, SETTLE_MS, type Jobs, type Run, type Scenario } from './scenario.ts';
import type { Check } from './verify.ts';

const isOpen = ({ State }: Rollout) => !['Succeeded', 'Failed', 'Aborted'].includes(State);

export function rollouts({ client, fleet, isOver, random, log }: Run): Scenario {
  const made: string[] = [];

  /** Looks at a rollout once, and retries it if it is paused; true when it has ended. */
  async function step(id: string): Promise<boolean> {
    const answer = await client.attempt('GET', `/v1/rollout/${id}`);
    if (answer?.status !== 200) return false;
    const rollout = (await answer.json()) as Rollout;
    if (!isOpen(rollout)) return true;
    const { Version, State } = rollout;
    // What is refused has changed meanwhile: the next look decides again.
    if (State === 'Paused') {
      const retried = await client.attempt('POST', `/v1/rollout/${id}/retry`, { Version });
      // Nothing has failed: it was paused by the other branch below.
      if (retried?.status === 409) await client.attempt('POST', `/v1/rollout/${id}/resume`, { Version });
    } else if (random() < 0.1) await client.attempt('POST', `/v1/rollout/${id}/pause`, { Version });
    return false;
  }

  return {
    write: async () => {
      const workflow = await client.write('POST', '/v1/workflow', {
        Name: 'chaos rollout',
        Command: logged('sleep 0.3'),
      });
      if (!workflow) return;
      const { WorkflowId } = (await workflow.json()) as { WorkflowId: string };
      for (let n = 0; !isOver(); n += 1) {
        const answer = await client.write('POST', '/v1/rollout', {
          Name: `rollout ${n}`,
          DeviceIds: fleet.map(({ id }) => id),
          WorkflowId,
          Waves: [{ Count: 1 }, { Percent: 100 }],
          Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 43_200 },
          PauseAfter: { FailedCount: 0 },
          Advance: 'auto',
        });
        if (!answer) return;
        const { RolloutId } = (await answer.json()) as { RolloutId: string };
        made.push(RolloutId);
        while (!isOver() && !(await step(RolloutId))) await sleep(PAUSE_MS);
      }
    },

    settle: async () => {
      const deadline = performance.now() + SETTLE_MS;
      for (const id of made) while (performance.now() < deadline && !(await step(id))) await sleep(PAUSE_MS);
    },

    check: async (jobs) => {
      const events = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
      const found = await Promise.all(made.map((id) => client.read<Rollout>(`/v1/rollout/${id}`)));
      return [
        {
          what: 'acknowledged rollouts succeeded on all their devices',
          looked: made.length,
          wrong: found
            .filter(
              ({ State, Counts: { Succeeded = 0, NotBack = 0 } }) =>
                // A device that has succeeded may be away when the last wave ends.
                State !== 'Succeeded' || Succeeded + NotBack !== fleet.length,
            )
            .map(({ Name, State, Because, Counts }) => `${Name}: ${State} ${Because} ${JSON.stringify(Counts)}`),
        },
        ...inWaves(found, jobs, events),
      ];
    },
  };
}

/** No device succeeded twice in one rollout, and no second wave began before the first had succeeded. */
function inWaves(found: Rollout[], { children }: Jobs, events: string[]): Check[] {
  const twice: string[] = [];
  const early: string[] = [];
  for (const { Name, Waves } of found) {
    const [first = [], second = []] = Waves.map(({ JobId }) => children.filter((job) => job.ParentJobId === JobId));
    const succeeded = [...first, ...second].filter(({ Status }) => Status === 'Succeeded');
    for (const [device, { length }] of Map.groupBy(succeeded, ({ DeviceId }) => DeviceId))
      if (length > 1) twice.push(`${Name}: ${length} × ${device}`);
    const at = (event: string) => (job: Job) => events.indexOf(`${event} ${job.JobId}`);
    const passed = Math.max(...first.filter(({ Status }) => Status === 'Succeeded').map(at('end')));
    const began = second.map(at('start')).filter((place) => place >= 0);
    if (began.some((place) => place < passed)) early.push(Name);
  }
  return [
    { what: 'no device succeeded twice in one rollout', looked: found.length, wrong: twice },
    { what: 'no wave began before the one before it had passed', looked: found.length, wrong: early },
  ];
}
