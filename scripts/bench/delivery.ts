// A job to a group: from its submission until the last device has finished it, over the agents' real connections; what
// an idle agent costs; and how soon all agents are back after the service was killed.
import { connectAgents } from './fake-agents.ts';
import { connectHttpAgents } from './http-agents.ts';
import { post, request, withService, type MeasuredService } from './measured-service.ts';
import { restartRows } from './restart.ts';
import { milliseconds, perSecond, type Row, type Section, type Sizes } from './section.ts';

const GROUP = 'bench';
const COMMAND = 'true';

export const delivery: Section = async (sizes) => ({
  subject: `${sizes.agents.toLocaleString('en-US')} agents on one process, each a real connection`,
  rows: [...(await jobRows(sizes)), ...(await httpRows(sizes)), ...(await restartRows(sizes))],
});

const jobRows = ({ agents: count, postgres }: Sizes): Promise<Row[]> =>
  withService(
    async (measured) => {
      const { url, bare, send } = measured;
      const { keys } = await send('devices', { count, group: GROUP, keys: true });
      const before = await send('memory', null);
      const dialled = performance.now();
      const agents = await connectAgents(url, keys);
      const connected = performance.now() - dialled;
      const after = await send('memory', null);

      const { WorkflowId } = await post<{ WorkflowId: string }>(measured, '/v1/workflow', {
        Name: GROUP,
        Command: COMMAND,
      });
      const draft = { Name: GROUP, DeviceGroup: GROUP, WorkflowId };
      const idle = await send('processor', null);
      const { elapsed, result } = await settle(agents, () => post<{ JobId: string }>(measured, '/v1/job', draft));
      const busy = await send('processor', null);
      await mustBeDone(measured, result.JobId, count);
      // Closed before the next ones connect, because the number of connections of a process is limited.
      await agents.close();

      const floor = await connectAgents(bare, keys);
      const { elapsed: bareJobs } = await settle(floor, () => send('bareJobs', { command: COMMAND }));
      await floor.close();

      return [
        {
          what: 'job to their group, until all have done it',
          figure: milliseconds(elapsed),
          against: { what: 'the same messages, nothing stored', figure: milliseconds(bareJobs) },
        },
        { what: 'processor time of the service for it', figure: milliseconds(busy.used - idle.used) },
        { what: 'jobs done', figure: perSecond(count, elapsed, 'jobs') },
        { what: 'agents connecting and saying hello', figure: perSecond(count, connected, 'agents') },
        {
          what: 'memory of an idle agent, heap and buffers',
          figure: { value: (after.heap - before.heap) / count / 1000, unit: 'kB' },
        },
        {
          what: 'memory of an idle agent, by the growth of RSS',
          figure: { value: (after.rss - before.rss) / count / 1000, unit: 'kB' },
        },
      ];
    },
    { postgres },
  );

/** The same for agents that speak HTTP, each of which has a request waiting. */
const httpRows = ({ agents: count, postgres }: Sizes): Promise<Row[]> =>
  withService(
    async (measured) => {
      const { url, send } = measured;
      const { keys } = await send('devices', { count, group: GROUP, keys: true });
      const { WorkflowId } = await post<{ WorkflowId: string }>(measured, '/v1/workflow', {
        Name: GROUP,
        Command: COMMAND,
      });
      const before = await send('memory', null);
      const agents = await connectHttpAgents(url, keys);
      const after = await send('memory', null);
      const idle = await send('processor', null);
      const begun = performance.now();
      const { JobId } = await post<{ JobId: string }>(measured, '/v1/job', {
        Name: GROUP,
        DeviceGroup: GROUP,
        WorkflowId,
      });
      await agents.allHanded();
      const handed = performance.now() - begun;
      await agents.allDone();
      const done = performance.now() - begun;
      const busy = await send('processor', null);
      await mustBeDone(measured, JobId, count);
      agents.close();
      return [
        {
          what: 'HTTP agents: job to their group, until the last one has got it',
          figure: milliseconds(handed),
          against: { what: 'until all have done it, three requests each', figure: milliseconds(done) },
        },
        { what: 'HTTP agents: processor time of the service for it', figure: milliseconds(busy.used - idle.used) },
        {
          what: 'HTTP agents: memory of a request that waits, heap and buffers',
          figure: { value: (after.heap - before.heap) / count / 1000, unit: 'kB' },
        },
        {
          what: 'HTTP agents: the same, by the growth of RSS',
          figure: { value: (after.rss - before.rss) / count / 1000, unit: 'kB' },
        },
      ];
    },
    { postgres },
  );

/** Milliseconds from `start` until every agent's job is settled. */
async function settle<T>(agents: Awaited<ReturnType<typeof connectAgents>>, start: () => Promise<T>) {
  const begun = performance.now();
  const settled = agents.allSettled();
  const result = await start();
  await settled;
  return { elapsed: performance.now() - begun, result };
}

/** Figures of jobs that did not run would be worthless. */
async function mustBeDone(measured: MeasuredService, jobId: string, count: number): Promise<void> {
  const { Counts } = (await request(measured, `/v1/job/${jobId}`)) as { Counts?: Record<string, number> };
  if (Counts?.['Succeeded'] !== count)
    throw new Error(`Of ${count} jobs the service counts ${JSON.stringify(Counts)}, and not all as Succeeded.`);
}
