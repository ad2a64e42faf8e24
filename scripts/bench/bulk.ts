// Ten thousand devices tagged, and ten thousand jobs stopped, archived and deleted, by one request each, while
// somebody else reads and writes; and one job with ten thousand children archived. Compared with a request for each, four at a time,
// as a browser sends them.
import { hasEngines, installEngines } from '../engines/install.ts';
import { DURABLE, startPostgres } from '../engines/postgres-server.ts';
import { ask, type Request } from './load.ts';
import { post, request, withService, type MeasuredService } from './measured-service.ts';
import { milliseconds, perSecond, type Figure, type Row, type Section } from './section.ts';

const ITEMS = 10_000;
/** Of them, sent one by one. */
const SINGLE = 1_000;
const AT_ONCE = 4;
const ROWS = 1_000;
const POLL_MS = 50;
const GROUP = 'bulk';

export const bulk: Section = async () => {
  const rows = await withService((node) => measured('SQLite', node));
  if (hasEngines()) {
    installEngines();
    const server = await startPostgres(DURABLE);
    try {
      rows.push(...(await withService((node) => measured('PostgreSQL', node), { DATABASE_URL: server.url })));
    } finally {
      await server.remove();
    }
  }
  return { subject: `${ITEMS.toLocaleString('en-US')} devices and jobs, by one request`, rows };
};

interface Answers {
  State: string;
  Counts: { Done: number };
}

const pause = (ms: number) => new Promise<void>((done) => void setTimeout(done, ms));

/** Milliseconds until it is over. */
async function elapsedOf(node: MeasuredService, draft: object, items = ITEMS): Promise<number> {
  const begun = performance.now();
  const { BulkId } = await post<{ BulkId: string }>(node, '/v1/bulk', draft);
  for (;;) {
    const { State, Counts } = (await request(node, `/v1/bulk/${BulkId}?limit=1`)) as Answers;
    if (State !== 'Running') {
      if (Counts.Done !== items) throw new Error(`Of ${items} items, ${Counts.Done} were done.`);
      return performance.now() - begun;
    }
    await pause(POLL_MS);
  }
}

/** The 99th percentile of a request, sent again and again by one client while `work` goes on. */
async function slowest(node: MeasuredService, asked: Request, work: () => Promise<unknown>): Promise<Figure> {
  const times: number[] = [];
  let isOver = false;
  let last = performance.now();
  const asking = ask(node.url, { ...asked, headers: node.headers }, 1, () => {
    const now = performance.now();
    times.push(now - last);
    last = now;
    return isOver;
  });
  await work();
  isOver = true;
  await asking;
  return milliseconds(times.toSorted((one, two) => one - two)[Math.floor(times.length * 0.99)] ?? Number.NaN);
}

/** One request for each, a few at a time. */
async function single(node: MeasuredService, ids: string[], requestOf: (id: string) => Request): Promise<Figure> {
  const left = ids.slice(0, SINGLE);
  const begun = performance.now();
  const sender = async () => {
    for (let id; (id = left.pop()) !== undefined;) {
      const { method, path } = requestOf(id);
      const answer = await fetch(node.url + path, { method, headers: node.headers });
      await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return perSecond(SINGLE, performance.now() - begun, 'items');
}

async function idsOf(node: MeasuredService): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ids.length < ITEMS; page++) {
    const { Devices } = (await request(node, `/v1/devices/${page}/${ROWS}`)) as { Devices: { DeviceId: string }[] };
    ids.push(...Devices.map(({ DeviceId }) => DeviceId));
  }
  return ids;
}

async function childrenOf(node: MeasuredService): Promise<{ parent: string; ids: string[] }> {
  const { WorkflowId } = await post<{ WorkflowId: string }>(node, '/v1/workflow', { Name: GROUP, Command: 'true' });
  const { JobId } = await post<{ JobId: string }>(node, '/v1/job', { Name: GROUP, DeviceGroup: GROUP, WorkflowId });
  const children = (await request(node, `/v1/job/${JobId}/childjobs`)) as { JobId: string }[];
  return { parent: JobId, ids: children.map((child) => child.JobId) };
}

/** Jobs of one device each, all ended. */
async function endedJobs(node: MeasuredService, devices: readonly string[]): Promise<string[]> {
  const { WorkflowId } = await post<{ WorkflowId: string }>(node, '/v1/workflow', { Name: 'ended', Command: 'true' });
  const left = [...devices];
  const ids: string[] = [];
  const sender = async () => {
    for (let DeviceId; (DeviceId = left.pop()) !== undefined;)
      ids.push((await post<{ JobId: string }>(node, '/v1/job', { Name: 'ended', DeviceId, WorkflowId })).JobId);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  await elapsedOf(node, { Action: 'stop', Jobs: ids });
  return ids;
}

async function tagOf(node: MeasuredService, name: string): Promise<string> {
  const made = await fetch(`${node.url}/v1/tag/${name}`, { method: 'POST', headers: node.headers });
  if (!made.ok) throw new Error(`The tag was answered with ${made.status}`);
  const tags = (await request(node, '/v1/tag')) as { TagId: string; TagName: string }[];
  return tags.find(({ TagName }) => TagName === name)?.TagId ?? '';
}

async function measured(name: string, node: MeasuredService): Promise<Row[]> {
  await node.send('devices', { count: ITEMS, group: GROUP, keys: false });
  const Devices = await idsOf(node);
  const read = { method: 'GET', path: '/v1/devices/1/25' };
  const write = { method: 'POST', path: '/v1/devices', body: '{"DeviceName":"other","DeviceGroup":"other"}' };
  const rows: Row[] = [];
  const compare = async (what: string, draft: object, one: Figure) =>
    rows.push({
      what: `${name}: ${what}`,
      figure: perSecond(ITEMS, await elapsedOf(node, draft), 'items'),
      against: { what: `a request each, ${AT_ONCE} at a time`, figure: one },
    });
  const others = async (what: string, asked: Request, draft: object) =>
    rows.push({
      what: `${name}: others meanwhile, ${what}, 99th percentile`,
      figure: await slowest(node, asked, () => elapsedOf(node, draft)),
      against: { what: 'alone', figure: await slowest(node, asked, () => pause(1_000)) },
    });

  const [one, two, three, four] = await Promise.all(['one', 'two', 'three', 'four'].map((tag) => tagOf(node, tag)));
  const tag = (id = '') => ({ Action: 'tag', Devices, Values: { TagId: id } });
  const each = await single(node, Devices, (id) => ({ method: 'POST', path: `/v1/devices/${id}/tag/${one}` }));
  await compare('tag devices', tag(two), each);
  await others('a page of devices', read, tag(three));
  await others('a new device', write, tag(four));

  const waiting = await childrenOf(node);
  const stopped = await single(node, (await childrenOf(node)).ids, (id) => ({
    method: 'POST',
    path: `/v1/job/${id}/stop`,
  }));
  await compare('stop waiting jobs', { Action: 'stop', Jobs: waiting.ids }, stopped);
  const parents = [waiting.parent];
  rows.push({
    what: `${name}: archive a job with ${ITEMS.toLocaleString('en-US')} children`,
    figure: milliseconds(await elapsedOf(node, { Action: 'archive', Jobs: parents }, 1)),
    against: {
      what: 'restore it',
      figure: milliseconds(await elapsedOf(node, { Action: 'unarchive', Jobs: parents }, 1)),
    },
  });
  const Jobs = await endedJobs(node, Devices);
  const archived = perSecond(ITEMS, await elapsedOf(node, { Action: 'archive', Jobs }), 'items');
  const restored = perSecond(ITEMS, await elapsedOf(node, { Action: 'unarchive', Jobs }), 'items');
  rows.push({
    what: `${name}: archive ended jobs`,
    figure: archived,
    against: { what: 'restore them', figure: restored },
  });
  await others('a page of devices', read, { Action: 'archive', Jobs });
  const deleted = await single(node, (await childrenOf(node)).ids, (id) => ({
    method: 'DELETE',
    path: `/v1/job/${id}`,
  }));
  await compare('delete jobs that have ended', { Action: 'delete', Jobs: waiting.ids }, deleted);
  return rows;
}
