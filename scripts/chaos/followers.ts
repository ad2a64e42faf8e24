// Readers that follow what changes: a copy of the fleet kept by /v1/changes, and the stream of /v1/events resumed after each
// interruption. When all is quiet, both know what a reader knows who reads everything.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeEvent } from '#/contract/changes.ts';
import type { Device } from '#/contract/devices.ts';
import type { Job } from '#/contract/jobs.ts';
import { PAUSE_MS, type Run, type Scenario } from './scenario.ts';
import type { Ledger } from './writer.ts';

const PAGE = 500;
/** The stream is gathered to one event a second. */
const LAST_EVENTS_MS = 3_000;

async function readFleet({ client }: Run): Promise<Map<string, Device>> {
  const all = new Map<string, Device>();
  for (let page = 1; ; page += 1) {
    const { Devices } = await client.read<{ Devices: Device[] }>(`/v1/devices/${page}/${PAGE}`);
    for (const device of Devices) all.set(device.DeviceId, device);
    if (Devices.length < PAGE) return all;
  }
}

export function followers(run: Run, ledger: Ledger): Scenario {
  const { client, urls, token, isOver, random } = run;
  let copy = new Map<string, Device>();
  let version: string | undefined;
  let resets = 0;
  const jobs = new Set<string>();
  const stop = new AbortController();

  async function follow(): Promise<void> {
    if (version === undefined) {
      const start = await client.read<{ Version: string }>('/v1/changes');
      copy = await readFleet(run);
      version = start.Version;
      return;
    }
    const { Version, Reset, Devices, Removed } = await client.read<{
      Version: string;
      Reset: boolean;
      Devices: Device[];
      Removed: string[];
    }>(`/v1/changes?since=${encodeURIComponent(version)}`);
    if (Reset) {
      resets += 1;
      version = undefined;
      return;
    }
    for (const id of Removed) copy.delete(id);
    for (const device of Devices) copy.set(device.DeviceId, device);
    version = Version;
  }

  const readAllJobs = async () => {
    for (const { JobId } of await client.read<Job[]>('/v1/job')) jobs.add(JobId);
  };

  /** Reads the stream until it breaks; returns the id to resume with. */
  async function listen(resume: string): Promise<string> {
    let last = resume;
    const url = urls[Math.floor(random() * urls.length)] ?? '';
    const answer = await fetch(`${url}/v1/events`, {
      headers: { Authorization: `Bearer ${token}`, ...(last && { 'Last-Event-ID': last }) },
      signal: stop.signal,
    });
    if (answer.status !== 200 || !answer.body) return last;
    let rest = '';
    for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + piece).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const fields = Object.fromEntries(
          event.split('\n').map((line) => [line.split(':')[0], line.slice(line.indexOf(':') + 1).trim()]),
        ) as Record<string, string | undefined>;
        // The first event of a stream without a place to resume from: what came before is not in it.
        if (fields['event'] === 'reset' || (fields['event'] === 'ready' && last === '')) await readAllJobs();
        if (fields['event'] === 'change') {
          const { Jobs = [] } = JSON.parse(fields['data'] ?? '{}') as ChangeEvent;
          if (Array.isArray(Jobs)) for (const id of Jobs) jobs.add(id);
          else await readAllJobs();
        }
        // Kept only now, when what the event says is read.
        last = fields['id'] ?? last;
      }
    }
    return last;
  }

  const listening = (async () => {
    let last = '';
    while (!stop.signal.aborted) {
      let place = last;
      try {
        place = await listen(last);
      } catch {
        // Cut off: what was read since is in the stream once more.
      }
      last = place;
      await sleep(PAUSE_MS);
    }
  })();

  return {
    write: async () => {
      while (!isOver()) {
        await follow().catch(() => {});
        await sleep(PAUSE_MS);
      }
    },

    check: async () => {
      await sleep(LAST_EVENTS_MS);
      for (let isCurrent = false; !isCurrent;) {
        await follow();
        isCurrent = version !== undefined;
      }
      stop.abort();
      await listening;
      const all = await readFleet(run);
      const fields = ['DeviceName', 'DeviceGroup', 'CustomerName', 'CustomerSite', 'DeviceStatus'] as const;
      const differing = [...all.values()].filter((device) =>
        fields.some((field) => copy.get(device.DeviceId)?.[field] !== device[field]),
      );
      const left = [...copy.keys()].filter((id) => !all.has(id));
      return [
        {
          what: `a copy of the fleet kept by its changes is the fleet (read anew ${resets} times)`,
          looked: all.size,
          wrong: [
            ...differing.map(
              (device) => `${device.DeviceId}: ${JSON.stringify(copy.get(device.DeviceId) ?? 'missing')}`,
            ),
            ...left.map((id) => `${id} was deleted`),
          ],
        },
        {
          what: 'the stream of events named every acknowledged job',
          looked: ledger.jobs.length,
          wrong: ledger.jobs.filter(({ id }) => !jobs.has(id)).map(({ name }) => name),
        },
      ];
    },

    close: async () => {
      stop.abort();
      await listening;
    },
  };
}
