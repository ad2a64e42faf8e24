// What somebody costs the service who watches a job with ten thousand children: bytes as they are sent, and processor
// time, while nothing changes and while all of them run.
import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { connectAgents } from './fake-agents.ts';
import { post, request, withService, type MeasuredService } from './measured-service.ts';
import { kilobytes, milliseconds, type Row } from './section.ts';

const CHILDREN = 10_000;
const GROUP = 'watched';
/** Looks while nothing changes. */
const LOOKS = 300;
/** Milliseconds between two looks of a page, and of one that gets events. */
const PACE = 5_000;
const LIVE_PACE = 1_000;

interface Look {
  bytes: number;
  version: string;
}

interface Watched {
  measured: MeasuredService;
  job: string;
}

/** Reads the children once more, as a browser does. */
async function look({ measured, job }: Watched, since: string): Promise<Look> {
  const path = `/v1/job/${job}/childjobs?since=${encodeURIComponent(since)}`;
  const { bytes, text } = await sized(measured, path);
  return { bytes, version: (JSON.parse(text) as { Version: string }).Version };
}

/** An answer and its size as it was sent. */
const sized = ({ url, headers }: MeasuredService, path: string) =>
  new Promise<{ bytes: number; text: string }>((resolve, reject) => {
    get(url + path, { headers: { ...headers, 'Accept-Encoding': 'gzip' } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(parts);
        const text = response.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
        resolve({ bytes: body.length, text: text.toString() });
      });
    }).on('error', reject);
  });

/** Looks at the pace of a page until all have ended; returns the bytes of that. */
async function watchUntilDone(watched: Watched, since: string): Promise<number> {
  const isDone = async () =>
    ((await request(watched.measured, `/v1/job/${watched.job}`)) as { EndTime: string }).EndTime !== '';
  let bytes = 0;
  let version = since;
  for (let isOver = false; !isOver;) {
    await new Promise((resolve) => setTimeout(resolve, LIVE_PACE));
    isOver = await isDone();
    const seen = await look(watched, version);
    bytes += seen.bytes;
    version = seen.version;
  }
  return bytes;
}

export const watcherRows = (): Promise<Row[]> =>
  withService(async (measured) => {
    const { keys } = await measured.send('devices', { count: CHILDREN, group: GROUP, keys: true });
    const { WorkflowId } = await post<{ WorkflowId: string }>(measured, '/v1/workflow', {
      Name: GROUP,
      Command: ': a command of some length, as those that fetch an artifact are'.repeat(10),
    });
    const draft = { Name: GROUP, DeviceGroup: GROUP, WorkflowId };
    const { JobId: job } = await post<{ JobId: string }>(measured, '/v1/job', draft);
    const watched = { measured, job };
    const processor = async () => (await measured.send('processor', null)).used;

    const first = await look(watched, '');
    const idle = await processor();
    let bytes = 0;
    for (let n = 0; n < LOOKS; n++) bytes += (await look(watched, first.version)).bytes;
    const perLook = ((await processor()) - idle) / LOOKS;

    const agents = await connectAgents(measured.url, keys);
    const running = await watchUntilDone(watched, first.version);
    await agents.close();
    const before = await processor();
    await look(watched, first.version);
    const changed = (await processor()) - before;
    const array = await sized(measured, `/v1/job/${job}/childjobs`);
    const documented = { what: 'the documented array, once', figure: kilobytes(array.bytes) };
    return [
      { what: 'a watcher: the first look', figure: kilobytes(first.bytes), against: documented },
      { what: 'the same: a minute in which nothing changes', figure: kilobytes((bytes / LOOKS) * (60_000 / PACE)) },
      { what: 'the same: share of a core meanwhile', figure: { value: (perLook / PACE) * 100, unit: '%' } },
      {
        what: 'the same: share of a core at a look a second',
        figure: { value: (perLook / LIVE_PACE) * 100, unit: '%' },
      },
      { what: 'the same: while all run, from the first to the last', figure: kilobytes(running), against: documented },
      { what: 'the same: processor time to list all that changed', figure: milliseconds(changed) },
    ];
  });
