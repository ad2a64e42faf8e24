// The same load on services with different databases, one after the other: each measurement runs on all of them before
// the next one begins, so that they meet the same machine.
import { connectAgents } from './fake-agents.ts';
import { ask, type Request } from './load.ts';
import { post, request, type MeasuredService } from './measured-service.ts';
import { median, milliseconds, perSecond, type Figure } from './section.ts';

/** One service, or several that are one. */
export interface Subject {
  name: string;
  nodes: [MeasuredService, ...MeasuredService[]];
  /** Processor time of the database so far, if it is a process of its own. */
  database: () => number;
}

/** What was measured on a subject: the figure, and the processor time of service and database for it. */
export interface Measured {
  figure: Figure;
  processor: Figure;
}
interface Measurement {
  what: string;
  of: (subject: Subject) => Promise<Measured>;
}

const CLIENTS = 16;
const ROWS = 25;
const READS = 8_000;
const WRITES = 3_000;
const SINGLE_WRITES = 300;
const DOWNLOADS = 5;
const LINES = 200;
const TALKERS = 200;
const GROUP = 'bench';
const TALKING = 'talking';

/** Adds the devices that the measurements need; the keys of those that get agents, by group. */
export async function addDevices({ name, nodes: [node] }: Subject, devices: number, agents: number) {
  await node.send('devices', { count: Math.max(0, devices - agents), group: 'idle', keys: false });
  const { keys } = await node.send('devices', { count: agents, group: `${GROUP} ${name}`, keys: true });
  const talking = await node.send('devices', { count: TALKERS, group: `${TALKING} ${name}`, keys: true });
  return { keys, talking: talking.keys };
}

type Keys = Awaited<ReturnType<typeof addDevices>>;

export function measurements(devices: number, keysOf: Map<Subject, Keys>): Measurement[] {
  const deep = Math.max(1, Math.min(4_000, Math.floor(devices / ROWS)));
  const page = (number: number) => (subject: Subject) =>
    rate(subject, { method: 'GET', path: `/v1/devices/${number}/${ROWS}` }, READS);
  const create = { method: 'POST', path: '/v1/devices', body: '{"DeviceName":"new","DeviceGroup":"new"}' };
  const agents = [...keysOf.values()][0]?.keys.length ?? 0;
  return [
    { what: `GET a page of ${ROWS}, page 1`, of: page(1) },
    { what: `GET a page of ${ROWS}, page ${deep.toLocaleString('en-US')}`, of: page(deep) },
    { what: 'GET all locations, alone', of: locations },
    {
      what: `job to ${agents.toLocaleString('en-US')} agents, until all have done it`,
      of: (subject) => job(subject, keysOf.get(subject)?.keys ?? [], `${GROUP} ${subject.name}`, 0),
    },
    {
      what: `${TALKERS} agents, ${LINES} lines each, a message a line: until stored`,
      of: (subject) => job(subject, keysOf.get(subject)?.talking ?? [], `${TALKING} ${subject.name}`, LINES),
    },
    { what: `create a device, durable, ${CLIENTS} clients`, of: (subject) => rate(subject, create, WRITES) },
    { what: 'create a device, durable, one client', of: (subject) => rate(subject, create, SINGLE_WRITES, 1) },
  ];
}

/** Milliseconds of processor time that `work` needs, of all nodes and the database. */
async function processorOf<T>({ nodes, database }: Subject, work: () => Promise<T>) {
  const used = async () => {
    const each = await Promise.all(nodes.map((node) => node.send('processor', null)));
    return each.reduce((sum, { used: one }) => sum + one, database());
  };
  const before = await used();
  const result = await work();
  return { result, used: (await used()) - before };
}

/** Requests per second, of `count`, spread over the nodes; a tenth as many run first, uncounted. */
async function rate(subject: Subject, asked: Request, count: number, clients = CLIENTS): Promise<Measured> {
  const nodes = clients === 1 ? subject.nodes.slice(0, 1) : subject.nodes;
  const run = async (most: number) => {
    let done = 0;
    const all = nodes.map(({ url, headers }, index) => {
      const own = Math.floor((clients + index) / nodes.length);
      return ask(url, { ...asked, headers }, own, () => (done += 1) >= most);
    });
    return (await Promise.all(all)).reduce((sum, { answered }) => sum + answered, 0);
  };
  await run(count / 10);
  const begun = performance.now();
  const { result: answered, used } = await processorOf(subject, () => run(count));
  const elapsed = performance.now() - begun;
  return { figure: perSecond(answered, elapsed, 'req'), processor: milliseconds(used / answered) };
}

async function locations(subject: Subject): Promise<Measured> {
  const [{ url, headers }] = subject.nodes;
  const one = async () =>
    (await ask(url, { method: 'GET', path: '/v1/devices/location', headers }, 1, () => true)).elapsed;
  await one();
  const times: number[] = [];
  const { used } = await processorOf(subject, async () => {
    for (let i = 0; i < DOWNLOADS; i++) times.push(await one());
  });
  return { figure: milliseconds(median(times)), processor: milliseconds(used / DOWNLOADS) };
}

/** From the submission of a job to a group until the last of its agents has done it. */
async function job(subject: Subject, keys: string[], group: string, lines: number): Promise<Measured> {
  const { nodes } = subject;
  const share = Math.ceil(keys.length / nodes.length);
  const agents = await Promise.all(
    nodes.map(({ url }, index) => connectAgents(url, keys.slice(index * share, (index + 1) * share), lines)),
  );
  const [node] = nodes;
  const { WorkflowId } = await post<{ WorkflowId: string }>(node, '/v1/workflow', { Name: group, Command: 'true' });
  const begun = performance.now();
  const { result: JobId, used } = await processorOf(subject, async () => {
    const settled = agents.map((each) => each.allSettled());
    const made = await post<{ JobId: string }>(node, '/v1/job', { Name: group, DeviceGroup: group, WorkflowId });
    await Promise.all(settled);
    return made.JobId;
  });
  const elapsed = performance.now() - begun;
  await Promise.all(agents.map((each) => each.close()));
  const { Counts } = (await request(node, `/v1/job/${JobId}`)) as { Counts?: Record<string, number> };
  if (Counts?.['Succeeded'] !== keys.length)
    throw new Error(`Of ${keys.length} jobs the service counts ${JSON.stringify(Counts)}, and not all as Succeeded.`);
  return { figure: milliseconds(elapsed), processor: milliseconds(used / keys.length) };
}
