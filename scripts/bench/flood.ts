// The cost of a device that sends its output a byte a message: how long other requests for a page take, compared with
// the same requests without it; how long an ordinary device's output takes; and the memory of the service.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SendingAgent } from './sending-agent.ts';
import { ask } from './load.ts';
import { post, withService, type MeasuredService } from './measured-service.ts';
import { milliseconds, type Figure, type Row, type Section } from './section.ts';

const MB = 1_000_000;
const DEVICES = 200;
/** A longer flood is stopped; requests are timed until its job has ended too. */
const WATCHED_MS = 10_000;
const FLOODS = [
  { what: 'one device floods 3 MB', devices: 1, bytes: 3 * MB },
  { what: 'one device floods 7 MB', devices: 1, bytes: 7 * MB },
  { what: '5 devices flood 7 MB each', devices: 5, bytes: 7 * MB },
];

export const flood: Section = () =>
  withService(async (measured) => {
    await measured.send('devices', { count: DEVICES, group: 'bench', keys: false });
    const undisturbed = await pages(measured);
    const alone = await ordinary(measured);
    const before = await measured.send('memory', null);
    const rows: Row[] = [];
    for (const { what, devices, bytes } of FLOODS) {
      const agents: Worker[] = [];
      for (let i = 0; i < devices; i++) agents.push(await started(measured, { bytes, style: 'bytes' }));
      const ordinarily = await ordinary(measured);
      const waited = await pages(measured, agents);
      for (const name of ['p99', 'longest'] as const)
        rows.push({
          what: `GET a page while ${what}, ${name}`,
          figure: waited[name],
          against: { what: 'undisturbed', figure: undisturbed[name] },
        });
      rows.push({
        what: `10 MB in large pieces meanwhile, until stored`,
        figure: ordinarily,
        against: { what: 'undisturbed', figure: alone },
      });
      for (const agent of agents) await agent.terminate();
    }
    rows.push({
      what: 'memory of the process (RSS), the most it took',
      figure: { value: (await measured.send('memory', null)).peak / MB, unit: 'MB' },
      against: { what: 'before any of it', figure: { value: before.rss / MB, unit: 'MB' } },
    });
    return { subject: 'output a byte a message, as fast as the line takes it', rows };
  });

/** How long a page takes, requested repeatedly by one client until the jobs of these agents have ended. */
async function pages(
  { url, headers }: MeasuredService,
  agents: Worker[] = [],
): Promise<{ p99: Figure; longest: Figure }> {
  const times: number[] = [];
  let running = agents.length;
  for (const agent of agents) agent.once('message', () => (running -= 1));
  const end = setTimeout(() => {
    for (const agent of agents) agent.postMessage('end');
  }, WATCHED_MS);
  const begun = performance.now();
  let last = begun;
  await ask(url, { method: 'GET', path: '/v1/devices/1/25', headers }, 1, () => {
    const now = performance.now();
    times.push(now - last);
    last = now;
    return agents.length > 0 ? running === 0 : now - begun > WATCHED_MS;
  });
  clearTimeout(end);
  const sorted = times.toSorted((one, two) => one - two);
  return {
    p99: milliseconds(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN),
    longest: milliseconds(sorted.at(-1) ?? Number.NaN),
  };
}

let agents = 0;

/** A device whose agent has a job and sends its output. */
async function started(measured: MeasuredService, output: Pick<SendingAgent, 'bytes' | 'style'>): Promise<Worker> {
  const group = `sends-${++agents}`;
  const { keys } = await measured.send('devices', { count: 1, group, keys: true });
  const workerData: SendingAgent = { url: measured.url, key: keys[0] ?? '', ...output };
  const worker = new Worker(new URL('./sending-agent.ts', import.meta.url), { workerData });
  await once(worker, 'message');
  const { WorkflowId } = await post<{ WorkflowId: string }>(measured, '/v1/workflow', { Name: group, Command: 'true' });
  await post(measured, '/v1/job', { Name: group, DeviceGroup: group, WorkflowId });
  return worker;
}

/** Time of an ordinary device's output, from the submission of its job until all of it is stored. */
async function ordinary(measured: MeasuredService): Promise<Figure> {
  const begun = performance.now();
  const worker = await started(measured, { bytes: 10 * MB, style: 'pieces' });
  await once(worker, 'message');
  const elapsed = performance.now() - begun;
  await worker.terminate();
  return milliseconds(elapsed);
}
