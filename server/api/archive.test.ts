// The archive: archived jobs leave the lists and stay readable, are found by their output, and come as a ZIP file.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { ArchiveItem } from '#/contract/archive.ts';
import type { AuditEntry } from '#/contract/audit.ts';
import type { Job } from '#/contract/jobs.ts';
import { until } from '../../scripts/test-process.ts';
import { FakeAgent, scratch } from '../test-agents.ts';
import { testBulk } from '../test-bulk.ts';
import type { TestBulk } from '../test-bulk.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let fleet: TestFleet;
let bulk: TestBulk;
const at = scratch();
/** What an agent sends at once. */
const PIECE = 48 * 1024;
before(async () => {
  service = await startTestService();
  fleet = testFleet((...request) => service.call(...request));
  bulk = testBulk((...request) => service.call(...request));
});
after(async () => {
  await service.end();
  at.remove();
});

interface Page {
  Items: ArchiveItem[];
  Next: string;
  Total: number;
  Searched?: { Jobs: number; Bytes: number };
}
const read = async <T>(where: string): Promise<T> => {
  const response = await service.call('GET', where);
  assert.equal(response.status, 200, where);
  return (await response.json()) as T;
};
const archive = (query = '') => read<Page>(`/v1/archive${query}`);
const since = (version: string) =>
  read<{ Version: string; Jobs: Job[]; Removed: string[] }>(`/v1/job?since=${version}`);
const listed = async () => (await fleet.jobs()).map(({ JobId }) => JobId);

/** An ended job on devices that printed these. */
async function ended(outputs: Record<string, string>, name = 'job'): Promise<string> {
  const devices = await fleet.devices('', Object.keys(outputs));
  const agents = await Promise.all(devices.map(({ key }) => FakeAgent.connect(service.url, key)));
  const WorkflowId = await fleet.workflow('echo secret=hidden');
  const ids = devices.map(({ id }) => id);
  const target = ids.length === 1 ? { DeviceId: ids[0] } : { DeviceIds: ids };
  const job = await fleet.submit({ Name: name, ...target, WorkflowId });
  for (const [index, agent] of agents.entries()) {
    const { job: child } = await agent.receive('run');
    agent.say({ type: 'started', job: child, ago: 0 });
    const bytes = Buffer.from(Object.values(outputs)[index] ?? '');
    for (let offset = 0; offset < bytes.length; offset += PIECE) {
      const data = bytes.subarray(offset, offset + PIECE).toString('base64');
      agent.say({ type: 'output', job: child, stream: 'stdout', offset, data });
    }
    agent.say({ type: 'ended', job: child, outcome: 'exited', exitCode: 0, endedAgo: 0 });
  }
  await fleet.ended(job);
  for (const agent of agents) await agent.end();
  return job;
}
const archived = async (...outputs: Parameters<typeof ended>) => {
  const job = await ended(...outputs);
  assert.deepEqual(await bulk.outcomes({ Action: 'archive', Jobs: [job] }), ['Done']);
  return job;
};
/** A search to its end, through all of its answers. */
async function search(text: string, limit = 100) {
  const items: ArchiveItem[] = [];
  const searched = { Jobs: 0, Bytes: 0 };
  for (let next: string | undefined; next !== '';) {
    const page: Page = await archive(`?limit=${limit}&before=${next ?? ''}&search=${encodeURIComponent(text)}`);
    items.push(...page.Items);
    searched.Jobs += page.Searched?.Jobs ?? 0;
    searched.Bytes += page.Searched?.Bytes ?? 0;
    next = page.Next;
  }
  return { items, searched };
}
/** Its hits in words. */
async function found(text: string) {
  const { items, searched } = await search(text, 2);
  const words = items.flatMap(({ Hits = [] }) =>
    Hits.map(({ DeviceName, In, Line, Text }) => `${DeviceName} ${In} ${Line}: ${Text}`),
  );
  return { hits: words, searched };
}

test('an archived job leaves the lists, stays readable, and comes back', async () => {
  const job = await ended({ one: 'hello\n', two: 'hello\n' });
  const [child] = await fleet.children(job);
  const device = child?.DeviceId ?? '';
  const { Version } = await since('');
  assert.deepEqual(await bulk.outcomes({ Action: 'archive', Jobs: [job] }), ['Done']);

  assert.ok(!(await listed()).includes(job));
  assert.deepEqual(await read(`/v1/device/${device}/queue`), []);
  const gone = await since(Version);
  assert.deepEqual([gone.Removed, gone.Jobs], [[job], []]);
  assert.ok(Date.parse((await fleet.job(job)).ArchivedTime ?? '') > 0);
  assert.equal((await fleet.children(job))[0]?.Stdout, 'hello\n');
  assert.ok((await fleet.job(child?.JobId ?? '')).ArchivedTime);
  const { Items, Total } = await archive('?limit=1');
  assert.deepEqual([Items[0]?.Job.JobId, Items[0]?.OutputBytes, Total > 0], [job, 12, true]);

  assert.deepEqual(await bulk.outcomes({ Action: 'unarchive', Jobs: [job, job, 'none'] }), [
    'Done',
    'Skipped It no longer exists',
  ]);
  const back = await since(gone.Version);
  assert.deepEqual([back.Removed, back.Jobs.map(({ JobId }) => JobId)], [[], [job]]);
  // A reader that saw neither.
  assert.deepEqual((await since(Version)).Removed, []);
  assert.ok((await listed()).includes(job));
  assert.equal((await fleet.job(job)).ArchivedTime, undefined);
  assert.equal((await read<Job[]>(`/v1/device/${device}/queue`)).length, 1);
});

test('only an ended job can be archived, as a whole, and each refusal says why', async () => {
  const job = await ended({ three: 'x', four: 'y' });
  const [child] = await fleet.children(job);
  const device = await fleet.device('', 'away');
  const waiting = await fleet.run('sleep', { DeviceId: device.id });
  const agent = await FakeAgent.connect(service.url, (await fleet.device('', 'busy')).key);
  const [busy] = await read<{ DeviceId: string }[]>('/v1/devices/1/9/filters?device_name=busy');
  const running = await fleet.run('sleep', { DeviceId: busy?.DeviceId ?? '' });
  agent.say({ type: 'started', job: (await agent.receive('run')).job, ago: 0 });
  await fleet.reached(running, 'Running');
  assert.deepEqual(await bulk.outcomes({ Action: 'archive', Jobs: [child?.JobId, waiting, running, job, 'none'] }), [
    'Failed It is one device of a job: the whole job can be archived',
    'Failed It has not run yet',
    'Failed It is still running',
    'Done',
    'Skipped It no longer exists',
  ]);
  assert.deepEqual(await bulk.outcomes({ Action: 'archive', Jobs: [job] }), ['Skipped It is archived already']);
  assert.deepEqual(await bulk.outcomes({ Action: 'unarchive', Jobs: [child?.JobId, waiting] }), [
    'Skipped It is not archived',
    'Skipped It is not archived',
  ]);
  const WorkflowId = (await fleet.job(job)).WorkflowId;
  const retry = { Name: 'again', RetryOf: job, WorkflowId, DeviceIds: [child?.DeviceId] };
  const refused = await service.call('POST', '/v1/job', retry);
  assert.equal(refused.status, 409);
  assert.match(await refused.text(), /is archived/);
  const audited = await service.context.db.all(
    "SELECT target FROM audit WHERE action = 'job.archive' AND target = ?",
    job,
  );
  assert.equal(audited.length, 1);
  await fleet.remove(job);
  assert.ok(!(await archive()).Items.some(({ Job: { JobId } }) => JobId === job));
  await agent.end();
});

test('the list is read page by page, those archived last first', async () => {
  const jobs: string[] = [];
  for (const name of ['a', 'b', 'c']) jobs.unshift(await archived({ [`page-${name}`]: name }));
  const seen: string[] = [];
  for (let next = '', page = 0; page < 3; page++) {
    const { Items, Next } = await archive(`?limit=1&before=${next}`);
    seen.push(...Items.map(({ Job: { JobId } }) => JobId));
    next = Next;
  }
  assert.deepEqual(seen, jobs);
});

test('a search finds names and lines of any output, in any letter case, and says how far it has looked', async () => {
  const long = `${'x'.repeat(70_000)}\n`.repeat(9);
  await archived({ 'needle-device': 'nothing\n', plain: `first\nthe Größe NEEDLE is here\nlast` }, 'needle job');
  await archived({ large: `${long}${'y'.repeat(70_000)} needle` }, 'a large one');
  const { hits, searched } = await found('größe needle');
  assert.deepEqual(hits, ['plain Stdout 2: the Größe NEEDLE is here']);
  assert.equal(searched.Jobs, (await archive()).Total);
  assert.ok(searched.Bytes > long.length);
  const all = (await found('needle')).hits.map((hit) => hit.replace(/: .*/, ''));
  assert.deepEqual(all, ['large Stdout 10', ' JobName 1', 'needle-device DeviceName 1', 'plain Stdout 2']);
  assert.deepEqual((await found('not there at all')).hits, []);
});

test('a search shows a few hits of each stream and of each job, and goes on with the next job', async () => {
  const other = await archived({ other: 'many of them\n' });
  await archived({ many: 'many of them\n'.repeat(1_000) });
  const { items } = await search('many of them');
  assert.deepEqual(
    items.map(({ Hits, MoreHits }) => [Hits?.length, MoreHits]),
    [
      [5, true],
      [1, undefined],
    ],
  );
  assert.equal(items[1]?.Job.JobId, other);
});

test('a ZIP has the jobs with all of their output, for any program', async (t) => {
  const job = await archived({ 'zip/../one': 'a line\n', two: 'öäü\n'.repeat(100_000) }, 'Größe: 1');
  const response = await service.call('GET', `/v1/archive.zip?jobs=${job}`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('Content-Disposition') ?? '', /^attachment; filename="muster-archive-.*\.zip"$/);
  mkdirSync(path.join(at.folder, 'zip'));
  const file = path.join(at.folder, 'zip', 'a.zip');
  writeFileSync(file, Buffer.from(await response.arrayBuffer()));
  const unpacked = spawnSync('python3', ['-m', 'zipfile', '-e', file, path.join(at.folder, 'zip')]);
  if (unpacked.error) return t.skip('there is no python3');
  assert.equal(unpacked.status, 0, String(unpacked.stderr));
  const text = (name: string) => readFileSync(path.join(at.folder, 'zip', '0001-Größe-1', name), 'utf8');
  assert.equal(text('00001-zip-.-one.stdout.txt'), 'a line\n');
  assert.equal(text('00002-two.stdout.txt'), 'öäü\n'.repeat(100_000));
  const head = JSON.parse(text('job.json')) as { job: Job; rows: Job[] };
  assert.deepEqual([head.job.JobId, head.rows.length], [job, 2]);
  assert.equal((JSON.parse(text('output-1.json')) as Job[])[0]?.Stdout, 'a line\n');

  const all = await service.call('GET', '/v1/archive.zip');
  assert.equal(all.status, 200);
  await all.arrayBuffer();
  assert.equal((await service.call('GET', `/v1/archive.zip?jobs=${job},none`)).status, 404);
});

test('an open dashboard follows what is archived and restored', async () => {
  const job = await ended({ live: 'x' });
  const { Version } = await since('');
  await bulk.begin({ Action: 'archive', Jobs: [job] });
  await until('the change', async () => (await since(Version)).Removed.includes(job));
});

test('who downloads archived jobs is in the audit log, also for all of them', async () => {
  const job = await archived({ 'audited-1': 'secret' });
  const entries = async (object: string) =>
    (await read<{ Items: AuditEntry[] }>(`/v1/audit?action=job.download&object=${object}`)).Items;
  const earlier = (await entries('all')).length;
  for (const query of ['', `?jobs=${job},${job}`, '?jobs=nothing'])
    await (await service.call('GET', `/v1/archive.zip${query}`)).arrayBuffer();
  const [entry, ...others] = await entries(job);
  assert.deepEqual([entry?.Object, entry?.Outcome, others], [job, 'done', []]);
  assert.match(entry?.Actor ?? '', /^token:/);
  assert.equal((await entries('all')).length, earlier + 1);
  assert.deepEqual(await entries('nothing'), []);
});
