// What the service remembers: the history of states on disk and for its readers, and verdicts that are made again.
import { request, withService, type MeasuredService } from './measured-service.ts';
import { median, milliseconds, type Row, type Section } from './section.ts';

const CHANGES_A_DAY = 10;
/** A tenth of a large fleet for as long as the history goes back; all of one for two days. */
const SMALL = 10_000;
const DAYS = 90;
const READS = 20;

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

async function measured(devices: number, days: number): Promise<Row[]> {
  return withService(async (node) => {
    await node.send('devices', { count: devices, group: 'history', keys: false });
    const { bytes } = await node.send('states', { days, changes: CHANGES_A_DAY });
    const of = `${devices.toLocaleString('en-US')} devices, ${days} days`;
    const ids = await idsOf(node);
    const summary = (hours: number) => request(node, `/v1/history/summary?hours=${hours}&limit=20`);
    const pages = (await timesOf(1, () => summary(24))) || 0;
    const waits: number[] = [];
    const over = new AbortController();
    const others = (async () => {
      while (!over.signal.aborted) {
        const begun = performance.now();
        await request(node, '/v1/devices/1/25');
        waits.push(performance.now() - begun);
      }
    })();
    const longest = await timesOf(1, () => summary(Math.min(days, 30) * 24));
    over.abort();
    await others;
    return [
      {
        what: `${of}: bytes of a change on disk`,
        figure: { value: bytes / (devices * days * CHANGES_A_DAY), unit: 'B' },
      },
      {
        what: `${of}: 30 days of a device`,
        figure: milliseconds(await timesOf(READS, (nth) => month(node, ids[nth] ?? ''))),
      },
      { what: `${of}: summary of 24 h, first`, figure: milliseconds(pages) },
      { what: `${of}: summary of 24 h, again`, figure: milliseconds(await timesOf(READS, () => summary(24))) },
      {
        what: `${of}: summary of ${Math.min(days, 30)} days, first`,
        figure: milliseconds(longest),
        against: { what: 'longest wait of others meanwhile', figure: milliseconds(Math.max(...waits)) },
      },
      {
        what: `${of}: the latest 500 changes`,
        figure: milliseconds(await timesOf(READS, () => request(node, '/v1/history/devices?limit=500'))),
      },
    ];
  });
}

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
    const waits: number[] = [];
    const over = new AbortController();
    const others = (async () => {
      while (!over.signal.aborted) waits.push(await timesOf(1, () => request(node, '/v1/devices/1/25')));
    })();
    const again = await judged('^all bad$', 'NoAnswer');
    over.abort();
    await others;
    return [
      {
        what: `judging ${CHILDREN.toLocaleString('en-US')} devices of a job again, 1 kB of output each`,
        figure: milliseconds(again),
        against: { what: 'longest wait of others meanwhile', figure: milliseconds(Math.max(...waits)) },
      },
    ];
  });
}

export const history: Section = async ({ devices }) => ({
  subject: `${CHANGES_A_DAY} changes of each device a day, SQLite`,
  rows: [...(await judging()), ...(await measured(SMALL, DAYS)), ...(await measured(devices, 2))],
});
