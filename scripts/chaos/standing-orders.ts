// One standing order for the fleet, whose version is replaced again and again. Devices that failed, because their power
// was cut, are retried as an operator would.
import { setTimeout as sleep } from 'node:timers/promises';
import type { OrderedDevice, StandingOrder } from '#/contract/standing-orders.ts';
import { FLEET, logged, PAUSE_MS, SETTLE_MS, type Run, type Scenario } from './scenario.ts';
import { scriptForm } from './writer.ts';

const ORDER = '/v1/orders/chaos';
const BETWEEN_VERSIONS_MS = 4_000;

export function standingOrders({ client, fleet, isOver }: Run, folder: string): Scenario {
  /** Of the last acknowledged version, and of one that was sent later and not answered. */
  let current: string[] = [];
  const versions = new Set<string>();
  /** Sent in a request that was not answered, which a suspended node may carry out after later ones. */
  const late = new Set<string>();

  const states = async () => {
    const { Items } = await client.read<{ Items: OrderedDevice[] }>(`${ORDER}/devices?limit=500`);
    return Items;
  };

  return {
    write: async () => {
      for (let n = 0; !isOver(); n += 1) {
        const form = scriptForm('chaos-order.sh', `#!/bin/sh\n${logged('sleep 0.1')}\n`, folder);
        form.set('version', String(n));
        const uploaded = await client.write('POST', '/v1/artifact', form);
        if (!uploaded) return;
        const { ArtifactId } = (await uploaded.json()) as { ArtifactId: string };
        versions.add(ArtifactId);
        current.push(ArtifactId);
        const order = { DeviceGroup: FLEET, ArtifactId };
        if (!(await client.write('PUT', ORDER, order, [], () => late.add(ArtifactId)))) return;
        current = [...late, ArtifactId];
        for (let waited = 0; waited < BETWEEN_VERSIONS_MS && !isOver(); waited += PAUSE_MS) await sleep(PAUSE_MS);
      }
    },

    settle: async () => {
      const deadline = performance.now() + SETTLE_MS;
      if (current.length === 0) return;
      while (performance.now() < deadline) {
        const devices = await states();
        if (devices.length === fleet.length && devices.every(({ State }) => State === 'Has')) return;
        const failed = devices.filter(({ State }) => State === 'Failed' || State === 'Cancelled');
        if (failed.length > 0) await client.attempt('POST', `${ORDER}/retry`, {});
        await sleep(PAUSE_MS * 3);
      }
    },

    check: async ({ listed, children }) => {
      const [order] = await client.read<StandingOrder[]>('/v1/orders');
      const devices = await states();
      const jobs = [...listed, ...children].filter(
        ({ ArtifactId = '', DeviceId, Status }) =>
          versions.has(ArtifactId) && DeviceId !== '' && Status === 'Succeeded',
      );
      const perDevice = Map.groupBy(jobs, ({ ArtifactId, DeviceId }) => `${ArtifactId} on ${DeviceId}`);
      return [
        {
          what: 'the standing order has the last acknowledged version',
          looked: 1,
          wrong:
            order && current.includes(order.ArtifactId) ? [] : [`${order?.ArtifactId} instead of ${current.join()}`],
        },
        {
          what: 'every device of the standing order has its version',
          looked: devices.length,
          wrong: [
            ...(devices.length === fleet.length ? [] : [`${devices.length} devices of ${fleet.length}`]),
            ...devices
              .filter(({ State }) => State !== 'Has')
              .map(({ DeviceName, State, Because }) => `${DeviceName}: ${State} ${Because}`),
          ],
        },
        {
          what: 'no device got a version of the standing order twice',
          looked: perDevice.size,
          wrong: [...perDevice]
            // Deployed again where a late request brought it back.
            .filter(([name, { length }]) => length > 1 && !late.has(name.split(' ')[0] ?? ''))
            .map(([name, { length }]) => `${length} × ${name}`),
        },
      ];
    },
  };
}
