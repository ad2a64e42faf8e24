// Jobs that fail, a rule that watches for them, and the webhook that receives each: at least once, signed, and with the
// same Id whenever it is repeated. A message about several jobs has no JobId; its text names them.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AlertDelivery, AlertMessage } from '#/contract/alerts.ts';
import { FLEET, logged, PAUSE_MS, SETTLE_MS, type Run, type Scenario } from './scenario.ts';

const BETWEEN_JOBS = 8;
/** Of the messages, so that repeats happen in every run; none so often that its next attempt is after the end. */
const REFUSED = 0.2;
const MOST_REFUSALS = 2;

export function alerts({ client, fleet, isOver, random }: Run): Scenario {
  const failing: { id: string; name: string }[] = [];
  /** Bodies by Id. */
  const received = new Map<string, string>();
  const refusals = new Map<string, number>();
  const wrong: string[] = [];
  let secret = '';

  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request.headers['muster-signature'])) ?? [];
      if (signature !== createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
        wrong.push(`a message with a wrong signature: ${body.slice(0, 200)}`);
      const { Id } = JSON.parse(body) as AlertMessage;
      if ((received.get(Id) ?? body) !== body) wrong.push(`two messages with the Id ${Id}`);
      const refused = refusals.get(Id) ?? 0;
      const isTaken = refused >= MOST_REFUSALS || random() > REFUSED;
      if (isTaken) received.set(Id, body);
      else refusals.set(Id, refused + 1);
      response.writeHead(isTaken ? 200 : 503).end();
    });
  });

  const unreported = () => {
    const messages = [...received.values()].map((body) => JSON.parse(body) as AlertMessage);
    return failing.filter(({ id, name }) => !messages.some(({ JobId, Text }) => JobId === id || Text.includes(name)));
  };

  return {
    write: async () => {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const Url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`;
      secret = 'a secret of the chaos run';
      const draft = { Name: 'chaos', Kind: 'webhook', Url, Format: 'json', Secret: secret };
      const channel = await client.write('POST', '/v1/alerts/channels', draft, [409]);
      if (!channel) return;
      // When a repeated request comes after its answer was lost, the refusal names the channel that it created.
      const [, inAnswer, inRefusal] = /"ChannelId":"(\w+)"|channel \\"(\w+)\\"/.exec(await channel.text()) ?? [];
      const ChannelId = inAnswer ?? inRefusal;
      const rule = await client.write('POST', '/v1/alerts/rules', {
        Name: 'chaos',
        When: 'JobFailed',
        DeviceGroup: FLEET,
        ForMinutes: 0,
        QuietMinutes: 0,
        Channels: [ChannelId],
      });
      const workflow = await client.write('POST', '/v1/workflow', { Name: 'chaos alert', Command: logged('exit 3') });
      if (!rule || !workflow) return;
      const { WorkflowId } = (await workflow.json()) as { WorkflowId: string };
      for (let n = 0; !isOver(); n += 1) {
        const DeviceId = fleet[n % fleet.length]?.id;
        // The full stop keeps a name from being the beginning of another.
        const name = `to fail #${n}.`;
        const sent = await client.write('POST', '/v1/job', { Name: name, DeviceId, WorkflowId });
        if (!sent) return;
        failing.push({ id: ((await sent.json()) as { JobId: string }).JobId, name });
        for (let waited = 0; waited < BETWEEN_JOBS && !isOver(); waited += 1) await sleep(PAUSE_MS);
      }
    },

    settle: async () => {
      const deadline = performance.now() + SETTLE_MS;
      while (performance.now() < deadline && unreported().length > 0) await sleep(PAUSE_MS);
    },

    check: async ({ listed }) => {
      const statuses = new Map(listed.map(({ JobId, Status }) => [JobId, Status]));
      const { Items } = await client.read<{ Items: AlertDelivery[] }>('/v1/alerts/deliveries?limit=500');
      const stateOf = (id: string, name: string) => {
        const { State, Attempts, Because, NextTime } =
          Items.find(({ JobId, Text }) => JobId === id || Text.includes(name)) ?? {};
        return State === undefined ? 'no message' : `${State} after ${Attempts}, next ${NextTime}: ${Because}`;
      };
      return [
        {
          what: 'every failed job was reported to the webhook',
          looked: failing.length,
          wrong: unreported().map(({ id, name }) => `${id}: ${statuses.get(id) ?? 'missing'}, ${stateOf(id, name)}`),
        },
        { what: 'each message was signed, and the same when repeated', looked: received.size, wrong },
      ];
    },

    close: async () => {
      server.closeAllConnections();
      if (server.listening) await once(server.close(), 'close');
    },
  };
}
