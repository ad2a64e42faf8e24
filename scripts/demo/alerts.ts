// Alerts of the demo: rules of an operator, and the receivers of their messages, one of which often fails.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from './client.ts';

/** One in so many requests is answered with an error. */
const PAGER_FAILS = 3;
const CAMERA_RULE = 'Camera offline';

/** A webhook of ours: it takes what it is sent. */
async function receiver(answer: (nth: number) => number): Promise<string> {
  let count = 0;
  const server = createServer((request, response) => {
    response.statusCode = answer(++count);
    request.resume().on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The demo ends without waiting for it.
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`;
}

export async function addAlerts({ send }: Client): Promise<void> {
  const channel = async (Name: string, Url: string) =>
    (await send<{ ChannelId: string }>('POST', '/v1/alerts/channels', { Name, Kind: 'webhook', Url, Format: 'json' }))
      .ChannelId;
  const chat = await channel('Operations chat', await receiver(() => 204));
  const pager = await channel('Pager', await receiver((nth) => (nth % PAGER_FAILS === 1 ? 503 : 204)));
  const rule = (Name: string, When: string, fields: object = {}) =>
    send('POST', '/v1/alerts/rules', { Name, When, ForMinutes: 0, QuietMinutes: 0, Channels: [chat], ...fields });
  await rule('Gateway offline', 'DeviceOffline', {
    DeviceGroup: 'gateways',
    ForMinutes: 10,
    QuietMinutes: 5,
    Channels: [chat, pager],
  });
  await rule(CAMERA_RULE, 'DeviceOffline', { DeviceGroup: 'cameras', ForMinutes: 30, QuietMinutes: 60 });
  await rule('A rollout pauses', 'RolloutPaused', { Channels: [chat, pager] });
  await rule('Job failed', 'JobFailed', { QuietMinutes: 60 });
  await rule('Public tunnel without a login', 'TunnelPublic', { QuietMinutes: 60 });
  await rule('Storage nearly full', 'QuotaNear', { QuietMinutes: 1_440 });
}

/** While cameras restart with new firmware, nobody needs to hear of it. */
export async function silenceCameras({ call, send }: Client, until: number): Promise<void> {
  const rules = await call<{ RuleId: string; Name: string }[]>('GET', '/v1/alerts/rules');
  const cameras = rules.find(({ Name }) => Name === CAMERA_RULE)?.RuleId;
  await send('POST', `/v1/alerts/rules/${cameras}/silence`, {
    Until: new Date(until).toISOString(),
    Reason: 'Firmware update',
  });
}
