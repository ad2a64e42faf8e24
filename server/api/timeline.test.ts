// The timeline of a device: every kind in one order, and notes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TimelineItem } from '#/contract/timeline.ts';
import { CAUSES, noteState } from '../store/state-history.ts';
import { FakeAgent } from '../test-agents.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let fleet: TestFleet;
before(async () => {
  service = await startTestService();
  fleet = testFleet((...asked) => service.call(...asked));
});
after(() => service.end());

interface Page {
  Items: TimelineItem[];
  Next: string;
}
async function read(id: string, query = ''): Promise<Page> {
  const response = await service.call('GET', `/v1/device/${id}/timeline${query}`);
  assert.equal(response.status, 200);
  return (await response.json()) as Page;
}
const texts = (page: Page) => page.Items.map(({ Kind, Text }) => `${Kind}: ${Text}`);
const note = (id: string, Text: string) => service.call('POST', `/v1/device/${id}/notes`, { Text });

test('what happened to a device is in one order, with who did it', async () => {
  const device = await fleet.device('pumps', 'pump-7');
  const agent = await FakeAgent.connect(service.url, device.key);
  await agent.receive('welcome');
  service.clock.offset += 1000;
  const job = await fleet.run('update', { DeviceId: device.id });
  service.clock.offset += 1000;
  agent.finish((await agent.receive('run')).job, 0, 'done');
  await fleet.ended(job);
  service.clock.offset += 1000;
  await service.call('POST', '/v1/tag/outdoor');
  const [tag] = (await (await service.call('GET', '/v1/tag')).json()) as { TagId: string }[];
  await service.call('POST', `/v1/devices/${device.id}/tag/${tag?.TagId}`);
  service.clock.offset += 1000;
  assert.equal((await note(device.id, 'New power supply')).status, 200);
  service.clock.offset += 1000;
  await service.call('POST', `/v1/devices/${device.id}/key`);
  const page = await read(device.id);
  const [lost, ...others] = texts(page).filter((text) => !text.startsWith('state: Offline'));
  assert.deepEqual(
    [lost, ...others],
    [
      'key: Created new device key',
      'note: New power supply',
      'edit: Added tag outdoor',
      'job: Job succeeded: job',
      'job: Job submitted: job',
      'state: Online: connected for the first time',
      'edit: Created device',
    ],
  );
  assert.deepEqual(texts(await read(device.id, '?kind=note,key')), [lost, others[0]]);
  const written = page.Items.find(({ Kind }) => Kind === 'note');
  assert.match(written?.Actor ?? '', /^token:/);
  assert.notEqual(written?.ActorName, '');
  assert.equal(page.Items.find(({ Kind }) => Kind === 'job')?.JobId, job);

  // Page by page, each item once.
  const paged: string[] = [];
  for (let next = ''; ;) {
    const part = await read(device.id, `?limit=2&before=${next}`);
    paged.push(...part.Items.map(({ Id }) => Id));
    if (part.Next === '') break;
    next = part.Next;
  }
  assert.deepEqual(
    paged,
    page.Items.map(({ Id }) => Id),
  );
  await agent.end();
});

test('states a millisecond apart are on one page each, and a gap is after the state it begins with', async () => {
  const device = await fleet.device();
  const seq = (await service.context.db.get<{ seq: number }>('SELECT seq FROM devices WHERE id = ?', device.id))?.seq;
  const at = service.context.now() + 1_000;
  await service.context.db.write(async (tx) => {
    await noteState(tx, seq ?? 0, CAUSES.connected, at);
    await noteState(tx, seq ?? 0, CAUSES.disconnected, at + 1);
    await tx.run('INSERT INTO service_gaps (from_time, to_time) VALUES (?, ?)', at + 1, at + 2);
  });
  service.clock.offset += 10_000;
  const paged: string[] = [];
  for (let next: string | undefined = ''; next !== undefined && paged.length < 10;) {
    const page: Page = await read(device.id, `?kind=state&limit=1&before=${next}`);
    paged.push(...texts(page));
    next = page.Next || undefined;
  }
  assert.deepEqual(paged, [
    'state: Unknown: the service was down',
    'state: Offline: connection lost',
    'state: Online: connected for the first time',
  ]);
});

test('a note is deleted; one that is empty, too long, or about no device is refused', async () => {
  const { id } = await fleet.device();
  const { NoteId } = (await (await note(id, '  kept as written \u{1F527}  ')).json()) as { NoteId: string };
  assert.deepEqual(texts(await read(id, '?kind=note')), ['note: kept as written \u{1F527}']);
  assert.equal((await service.call('DELETE', `/v1/device/${id}/notes/${NoteId}`)).status, 200);
  assert.equal((await service.call('DELETE', `/v1/device/${id}/notes/${NoteId}`)).status, 404);
  assert.deepEqual(texts(await read(id, '?kind=note')), []);
  for (const wrong of ['', ' ', 'x'.repeat(2001)]) assert.equal((await note(id, wrong)).status, 400);
  assert.equal((await note('nobody', 'x')).status, 404);
  assert.equal((await service.call('GET', `/v1/device/${id}/timeline?kind=all`)).status, 400);
});
