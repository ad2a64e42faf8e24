// A thousand open dashboards on one service with ten thousand devices: what they cost while nothing changes and while
// devices change all the time, and how long after the answer to a change they know of it.
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEngines, installEngines } from '../engines/install.ts';
import { DURABLE, startPostgres } from '../engines/postgres-server.ts';
import { openDashboard } from './dashboard.ts';
import { request, withService, type MeasuredService } from './measured-service.ts';
import { milliseconds, type Figure, type Row, type Section } from './section.ts';

const DASHBOARDS = 1_000;
const DEVICES = 10_000;
const CHANGES_A_SECOND = 30;
const MEASURED_MS = 20_000;
const ROWS = 1_000;
/** How many open at a time. */
const OPENING = 50;
/** An event is sent at most a second after the one before. */
const LAST_EVENTS_MS = 3_000;

export const events: Section = async () => {
  const rows = await withService((service) => measured('SQLite', service));
  if (hasEngines()) {
    installEngines();
    const server = await startPostgres(DURABLE);
    try {
      const env = { DATABASE_URL: server.url };
      rows.push(...(await withService((service) => measured('PostgreSQL', service, () => server.processor()), env)));
    } finally {
      await server.remove();
    }
  }
  const subject = `${DASHBOARDS.toLocaleString('en-US')} open dashboards, ${DEVICES.toLocaleString('en-US')} devices`;
  return { subject, rows };
};

async function rename({ url, headers }: MeasuredService, id: string): Promise<void> {
  const answer = await fetch(`${url}/v1/devices/${id}`, {
    method: 'PATCH',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ DeviceName: `changed ${performance.now()}` }),
  });
  await answer.text();
  if (!answer.ok) throw new Error(`A change was answered with ${answer.status}`);
}

async function measured(name: string, service: MeasuredService, database = () => 0): Promise<Row[]> {
  const { url, headers } = service;
  await service.send('devices', { count: DEVICES, group: 'events', keys: false });
  const { Devices } = (await request(service, `/v1/devices/1/${ROWS}`)) as { Devices: { DeviceId: string }[] };
  const delays: number[] = [];
  const answeredAt = new Map<string, number>();
  let answers = 0;
  let bytes = 0;
  let took = 0;
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  const options = {
    url,
    headers,
    named: (ids: string[]) => {
      // An event may overtake the answer.
      for (const id of ids) delays.push(performance.now() - (answeredAt.get(id) ?? performance.now()));
    },
    answered: (length: number) => {
      answers += 1;
      bytes += length;
    },
    failed: failure.reject,
  };

  const share = async (work: () => Promise<unknown>): Promise<[service: Figure, database: Figure]> => {
    const [before, stored, begun] = [await service.send('processor', null), database(), performance.now()];
    await Promise.race([work(), failure.promise]);
    const [after, elapsed] = [await service.send('processor', null), performance.now() - begun];
    const percent = (used: number): Figure => ({ value: (100 * used) / elapsed, unit: '% of a core' });
    return [percent(after.used - before.used), percent(database() - stored)];
  };
  /** Each device is changed once while dashboards are open: an event that names it is about that change. */
  const change = async () => {
    const begun = performance.now();
    const count = (CHANGES_A_SECOND * MEASURED_MS) / 1000;
    const changes = Devices.slice(0, count).map(async ({ DeviceId }, index) => {
      await sleep((index * 1000) / CHANGES_A_SECOND);
      await rename(service, DeviceId);
      answeredAt.set(DeviceId, performance.now());
    });
    await Promise.all(changes);
    took = performance.now() - begun;
  };

  const alone = await share(change);
  answeredAt.clear();
  const dashboards = [];
  while (dashboards.length < DASHBOARDS)
    dashboards.push(
      ...(await Promise.race([
        Promise.all(Array.from({ length: OPENING }, () => openDashboard(options))),
        failure.promise,
      ])),
    );
  const idle = await share(() => sleep(MEASURED_MS));
  const busy = await share(change);
  await Promise.race([sleep(LAST_EVENTS_MS), failure.promise]);
  for (const dashboard of dashboards) dashboard.close();

  const expected = (DASHBOARDS * CHANGES_A_SECOND * MEASURED_MS) / 1000;
  if (delays.length < expected) throw new Error(`Of ${expected} changes, dashboards got ${delays.length}.`);
  const sorted = delays.toSorted((one, other) => one - other);
  const at = (part: number) => milliseconds(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  const used = (what: string, [own, stored]: typeof idle, against?: typeof idle): Row[] => [
    {
      what: `${name}: ${what}, processor time of the service`,
      figure: own,
      ...(against && { against: { what: 'without dashboards', figure: against[0] } }),
    },
    ...(database() > 0 ? [{ what: `${name}: ${what}, of the database`, figure: stored }] : []),
  ];
  return [
    ...used('idle', idle),
    ...used(`${CHANGES_A_SECOND} changes a second`, busy, alone),
    { what: `${name}: from a change's answer to its event, median`, figure: at(0.5) },
    { what: `${name}: the same, 95th percentile`, figure: at(0.95) },
    { what: `${name}: the same, longest`, figure: at(1) },
    { what: `${name}: changes`, figure: { value: (expected * 1000) / DASHBOARDS / took, unit: 'changes/s' } },
    { what: `${name}: answers with changed devices`, figure: { value: (answers * 1000) / took, unit: 'req/s' } },
    { what: `${name}: bytes of such an answer`, figure: { value: bytes / answers / 1000, unit: 'kB' } },
  ];
}
