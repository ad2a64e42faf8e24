// Jobs of the fleet that are stopped while they wait or run, one by one or as bulk work, and jobs that are deleted. What
// was cancelled before its device got it never starts, and nothing stays open.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { logged, PAUSE_MS, type Run, type Scenario } from './scenario.ts';

const FINAL = new Set(['Succeeded', 'Cancelled', 'Interrupted']);

export function stops({ client, fleet, isOver, random, log }: Run): Scenario {
  const stopped: string[] = [];
  const cancelled: string[] = [];
  const deleted: string[] = [];

  return {
    write: async () => {
      const workflow = await client.write('POST', '/v1/workflow', { Name: 'chaos stop', Command: logged('sleep 2') });
      if (!workflow) return;
      const { WorkflowId } = (await workflow.json()) as { WorkflowId: string };
      for (let n = 0; !isOver(); n += 1) {
        const DeviceId = fleet[n % fleet.length]?.id;
        const sent = await client.write('POST', '/v1/job', { Name: `to be stopped ${n}`, DeviceId, WorkflowId });
        if (!sent) return;
        const { JobId } = (await sent.json()) as { JobId: string };
        await sleep(random() * 2_000);
        if (n % 3 === 2) {
          if (await client.write('DELETE', `/v1/job/${JobId}`, undefined, [404])) deleted.push(JobId);
        } else if (n % 3 === 1) {
          if (await client.write('POST', '/v1/bulk', { Action: 'stop', Jobs: [JobId] })) stopped.push(JobId);
        } else {
          const answer = await client.write('POST', `/v1/job/${JobId}/stop`, undefined, [409]);
          if (!answer) return;
          stopped.push(JobId);
          if (answer.status === 200 && ((await answer.json()) as { Cancelled: number }).Cancelled === 1)
            cancelled.push(JobId);
        }
        await sleep(PAUSE_MS * 3);
      }
    },

    check: ({ listed }) => {
      const events = new Set(existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
      const found = new Map(listed.map((job) => [job.JobId, job]));
      return [
        {
          what: 'stopped jobs have ended',
          looked: stopped.length,
          wrong: stopped
            .filter((id) => !FINAL.has(found.get(id)?.Status ?? 'missing'))
            .map((id) => `${id}: ${found.get(id)?.Status ?? 'missing'}`),
        },
        {
          what: 'a job that was cancelled while it waited never started',
          looked: cancelled.length,
          wrong: cancelled.filter((id) => events.has(`start ${id}`)),
        },
        {
          what: 'deleted jobs stay deleted',
          looked: deleted.length,
          wrong: deleted.filter((id) => found.has(id)),
        },
      ];
    },
  };
}
