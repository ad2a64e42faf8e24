// Bulk work over devices of its own, one action after the other: what was acknowledged is carried out on every device,
// whatever stops the service in the middle of it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bulk } from '#/contract/bulk.ts';
import type { Device } from '#/contract/devices.ts';
import { PAUSE_MS, SETTLE_MS, type Run, type Scenario } from './scenario.ts';

const DEVICES = 40;
const TAG = 'chaos-bulk';

export function bulkWork({ client, isOver }: Run): Scenario {
  const ids: string[] = [];
  const made: string[] = [];
  const results = new Map<string, Bulk>();
  /** What the last acknowledged action wrote, and one that was sent later and not answered. */
  let sites = [''];
  let tagged = [false];

  async function hasEnded(id: string): Promise<boolean> {
    const answer = await client.attempt('GET', `/v1/bulk/${id}?limit=1`);
    // Results are removed after a week, which has passed while the clock was ahead.
    if (answer?.status === 404) return true;
    if (answer?.status !== 200) return false;
    const bulk = (await answer.json()) as Bulk;
    if (bulk.State === 'Running') return false;
    results.set(id, bulk);
    return true;
  }

  return {
    write: async () => {
      for (let n = 0; n < DEVICES; n += 1) {
        const device = await client.write(
          'POST',
          '/v1/devices',
          { DeviceName: `bulk-${n}`, DeviceGroup: 'bulk' },
          [409],
        );
        if (!device) return;
        const [, inAnswer, inRefusal] =
          /"DeviceId":"([^"]+)"|\/v1\/devices\/([\w-]+)\/key/.exec(await device.text()) ?? [];
        ids.push(inAnswer ?? inRefusal ?? '');
      }
      if (!(await client.write('POST', `/v1/tag/${TAG}`, undefined, [409]))) return;
      const tags = await client.write('GET', '/v1/tag');
      if (!tags) return;
      const TagId = ((await tags.json()) as { TagId: string; TagName: string }[]).find(
        ({ TagName }) => TagName === TAG,
      )?.TagId;
      for (let n = 0; !isOver(); n += 1) {
        const isTag = n % 3 === 2;
        const next = !tagged.at(-1);
        const body = isTag
          ? { Action: next ? 'tag' : 'untag', Devices: ids, Values: { TagId } }
          : { Action: 'edit', Devices: ids, Values: { CustomerSite: `site ${n}` } };
        if (isTag) tagged.push(next);
        else sites.push(`site ${n}`);
        const answer = await client.write('POST', '/v1/bulk', body);
        if (!answer) return;
        if (isTag) tagged = [next];
        else sites = [`site ${n}`];
        const { BulkId } = (await answer.json()) as { BulkId: string };
        made.push(BulkId);
        while (!isOver() && !(await hasEnded(BulkId))) await sleep(PAUSE_MS / 3);
      }
    },

    settle: async () => {
      const deadline = performance.now() + SETTLE_MS;
      for (const id of made) while (performance.now() < deadline && !(await hasEnded(id))) await sleep(PAUSE_MS);
    },

    check: async () => {
      const rows = await client.read<Device[]>('/v1/devices/1/1000/filters?device_group=bulk');
      const isTagged = ({ Tags = [] }: Device) => Tags.some(({ TagName }) => TagName === TAG);
      return [
        {
          what: 'acknowledged bulk work was carried out on every device',
          looked: made.length,
          wrong: [...results.values()]
            .filter(({ State, Counts }) => State !== 'Done' || Counts.Left > 0 || Counts.Failed > 0)
            .map(({ Action, State, Counts }) => `${Action}: ${State} ${JSON.stringify(Counts)}`),
        },
        {
          what: 'devices are as the last bulk work left them',
          looked: ids.length,
          wrong: [
            ...(rows.length === ids.length ? [] : [`${rows.length} devices of ${ids.length}`]),
            ...rows
              .filter((row) => !sites.includes(row.CustomerSite ?? '') || !tagged.includes(isTagged(row)))
              .map((row) => `${row.DeviceName}: "${row.CustomerSite}", ${isTagged(row) ? '' : 'not '}tagged`),
          ],
        },
      ];
    },
  };
}
