// What the service remembers: the history of states on disk and for its readers, and verdicts that are made again.
import { hasEngines, installEngines } from '../engines/install.ts';
import { DURABLE, startPostgres } from '../engines/postgres-server.ts';
import { request, withService, type MeasuredService } from './measured-service.ts';
import { median, milliseconds, type Row, type Section } from './section.ts';

const CHANGES_A_DAY = 10;
/** A tenth of a large fleet for as long as the history goes back; all of one for the days that are asked for. */
const SMALL = 10_000;
const DAYS = 90;
const READS = 20;
/** Changes whose totals are added again. */
const TOTALED = 100_000;

interface Page {
  Items: { Time: string }[];
  Next: string;
}

async function timesOf(reads: number, read: (nth: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < reads; nth++) {
    const begun = performance.now();
    await read(nth);
    times.push(performance.now() - begun);
  }
  return median(times);
}

async function idsOf(node: MeasuredService): Promise<string[]> {
  const { Devices } = (await request(node, `/v1/devices/1/${READS}`)) as { Devices: { DeviceId: string }[] };
  return Devices.map(({ DeviceId }) => DeviceId);
}

/** Reads the changes of a device of the last 30 days, as its page does. */
async function month(node: MeasuredService, id: string): Promise<void> {
  const from = Date.now() - 30 * 24 * 60 * 60 * 1000;
  for (let before = ''; ;) {
    const page = (await request(node, `/v1/history/devices?device_id=${id}&limit=500&before=${before}`)) as Page;
    const oldest = page.Items.at(-1);
    if (!page.Next || (oldest && Date.parse(oldest.Time) < from)) return;
    before = page.Next;
  }
}

interface Engine {
  name: string;
  env?: Record<string, string>;
}

/** Meanwhile others read a page; the longest that one of them waited. */
async function withOthers<T>(node: MeasuredService, work: () => Promise<T>): Promise<{ result: T; longest: number }> {
  let longest = 0;
  const over = new AbortController();
  const others = (async () => {
    while (!over.signal.aborted) longest = Math.max(longest, await timesOf(1, () => request(node, '/v1/devices/1/25')));
  })();
  const result = await work().finally(() => over.abort());
  await others;
  return { result, longest };
}

const measured = ({ name, env }: Engine, devices: number, days: number): Promise<Row[]> =>
  withService(async (node) => {
    await node.send('devices', { count: devices, group: 'history', keys: false });
    const { bytes } = await node.send('states', { days, changes: CHANGES_A_DAY });
    const changes = devices * days * CHANGES_A_DAY;
    const of = `${name}, ${devices.toLocaleString('en-US')} devices, ${days} days`;
    const ids = await idsOf(node);
    const summary = (hours: number, by: string) =>
      request(node, `/v1/history/summary?hours=${hours}&by=${by}&limit=20`);
    const most = Math.min(days, 30) * 24;
    const rows: Row[] = [
      {
        what: `${of}: changes on disk`,
        figure: { value: bytes / 1e6, unit: 'MB' },
        against: { what: 'changes', figure: { value: changes / 1e6, unit: 'M' } },
      },
      {
        what: `${of}: 30 days of a device`,
        figure: milliseconds(await timesOf(READS, (nth) => month(node, ids[nth] ?? ''))),
      },
      {
        what: `${of}: the latest 500 changes`,
        figure: milliseconds(await timesOf(READS, () => request(node, '/v1/history/devices?limit=500'))),
      },
    ];
    // Each span is asked for the first time, so that it is computed.
    for (const [what, hours, by] of [
      ['summary of 24 h, not ready', 23, 'device'],
      [`summary of ${most / 24} days by device, not ready`, most, 'device'],
      ['by site', most - 1, 'site'],
      ['by group', most - 2, 'group'],
    ] as const) {
      const { result, longest } = await withOthers(node, () => timesOf(1, () => summary(hours, by)));
      rows.push({
        what: `${of}: ${what}`,
        figure: milliseconds(result),
        against: { what: 'longest wait of others meanwhile', figure: milliseconds(longest) },
      });
    }
    await summary(24, 'device');
    rows.push({
      what: `${of}: summary of 24 h for the overview, ready`,
      figure: milliseconds(await timesOf(READS, () => summary(24, 'device'))),
    });
    const { result, longest } = await withOthers(node, () =>
      node.send('totals', { changes: Math.min(TOTALED, changes - 1) }),
    );
    rows.push({
      what: `${of}: totals are added, changes`,
      figure: { value: result.rate, unit: '/s' },
      against: { what: 'longest wait of others meanwhile', figure: milliseconds(longest) },
    });
    return rows;
  }, env);

const CHILDREN = 10_000;

/** Judges a large job again by changed rules. */
async function judging(): Promise<Row[]> {
  return withService(async (node) => {
    const { job } = await node.send('ended', { count: CHILDREN, group: 'judged', name: 'nightly' });
    const judged = async (Find: string, verdict: string): Promise<number> => {
      const Rules = [
        { Find, Pattern: true, Verdict: 'Succeeded' },
        { Find: 'rolled back', Verdict: 'RolledBack' },
      ];
      const begun = performance.now();
      await request(node, '/v1/rules/nightly', { method: 'PUT', body: JSON.stringify({ Rules }) });
      for (;;) {
        const { VerdictCounts } = (await request(node, `/v1/job/${job}`)) as { VerdictCounts?: Record<string, number> };
        if (VerdictCounts?.[verdict] === CHILDREN) return performance.now() - begun;
      }
    };
    await judged('^all good$', 'Succeeded');
    const { result, longest } = await withOthers(node, () => judged('^all bad$', 'NoAnswer'));
    return [
      {
        what: `judging ${CHILDREN.toLocaleString('en-US')} devices of a job again, 1 kB of output each`,
        figure: milliseconds(result),
        against: { what: 'longest wait of others meanwhile', figure: milliseconds(longest) },
      },
    ];
  });
}

export const history: Section = async ({ devices, days }) => {
  const rows = await judging();
  const measureOn = async (engine: Engine) => {
    rows.push(...(await measured(engine, SMALL, DAYS)), ...(await measured(engine, devices, days)));
  };
  await measureOn({ name: 'SQLite' });
  if (hasEngines()) {
    installEngines();
    const server = await startPostgres(DURABLE);
    try {
      await measureOn({ name: 'PostgreSQL', env: { DATABASE_URL: server.url } });
    } finally {
      await server.remove();
    }
  }
  return { subject: `${CHANGES_A_DAY} changes of each device a day`, rows };
};
