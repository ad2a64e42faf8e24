// Tunnels that a person opens and closes. One whose opening was acknowledged is there with the same address until its
// closing is sent, works once everything is quiet, and was opened once however often the request was sent.
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewTunnel, Tunnel } from '#/contract/tunnels.ts';
import { PAUSE_MS, SETTLE_MS, type Run, type Scenario } from './scenario.ts';
import { visitTunnel, type LocalServer } from './tunnels.ts';

const LOGIN = 'chaos:a password of the chaos';
const BETWEEN_MS = 500;

/** The destination that only this scenario names: agents offer the same server by its address. */
const askedDest = (own: string): string => own.replace('127.0.0.1', 'localhost');

/** @param own what each device's agent offers, in the order of the fleet */
export function openedTunnels(
  { client, fleet, isOver, random }: Run,
  ports: number[],
  servers: LocalServer[],
  own: string[],
): Scenario {
  /** Acknowledged and not closed, by device. */
  const open = new Map<string, NewTunnel>();
  /** Whether something that is sent and not answered may still be carried out. */
  const unsure = new Set<string>();
  const wrong: string[] = [];
  let opened = 0;

  const listed = async () => {
    const dests = new Set(own.map(askedDest));
    return (await client.read<Tunnel[]>('/v1/tunnels')).filter(({ LocalDest }) => dests.has(LocalDest));
  };

  return {
    write: async () => {
      for (let n = 0; !isOver(); n += 1) {
        const at = n % fleet.length;
        const id = fleet[at]?.id ?? '';
        const known = open.get(id);
        if (known && random() < 0.5) {
          open.delete(id);
          unsure.add(id);
          if (!(await client.write('DELETE', `/v1/tunnels/${known.Name}`, undefined, [404]))) return;
          unsure.delete(id);
        } else if (!known) {
          unsure.add(id);
          const body = { DeviceId: id, LocalDest: askedDest(own[at] ?? ''), Login: LOGIN, ExpiresMinutes: 600 };
          // An agent that has never been connected allows nothing yet.
          const made = await client.write('POST', '/v1/tunnels', body).catch((cause: unknown) => {
            if (!/does not allow tunnels/.test(String(cause))) throw cause;
            return null;
          });
          if (made === undefined) return;
          unsure.delete(id);
          if (made) {
            open.set(id, (await made.json()) as NewTunnel);
            opened += 1;
          }
        }
        await sleep(BETWEEN_MS);
      }
    },

    settle: async () => {
      const deadline = performance.now() + SETTLE_MS;
      const headers = { Authorization: `Basic ${Buffer.from(LOGIN).toString('base64')}` };
      for (const [index, { id }] of fleet.entries()) {
        const tunnel = open.get(id);
        const server = servers[index];
        if (!tunnel || !server) continue;
        const path = `/asked/${index}`;
        for (let works = false; !works;) {
          const port = ports[Math.floor(random() * ports.length)] ?? 0;
          const { status, body } = await visitTunnel(port, tunnel.Name, 'GET', path, headers);
          works = status === 200 && body === server.expected(path);
          if (works || performance.now() > deadline) {
            if (!works) wrong.push(`${tunnel.Name} answers ${status}`);
            break;
          }
          await sleep(PAUSE_MS);
        }
        const { status } = await visitTunnel(ports[0] ?? 0, tunnel.Name, 'GET', path);
        if (status !== 401) wrong.push(`${tunnel.Name} answers ${status} without its login`);
      }
    },

    check: async () => {
      const tunnels = await listed();
      const lost = [...open].flatMap(([id, { Name, PublicUrl }]) => {
        const found = tunnels.find((each) => each.Name === Name);
        if (!found) return [`${Name} of ${id} is not there`];
        return found.PublicUrl === PublicUrl ? [] : [`${Name} was at ${PublicUrl}, and is at ${found.PublicUrl}`];
      });
      const names = new Set([...open.values()].map(({ Name }) => Name));
      const extra = tunnels.filter(({ Name, DeviceId = '' }) => !names.has(Name) && !unsure.has(DeviceId));
      return [
        { what: 'every tunnel that a person opened is there, with its address', looked: opened, wrong: lost },
        { what: 'tunnels that people opened work, with their login only', looked: open.size, wrong },
        {
          what: 'no tunnel was opened twice, or came back',
          looked: tunnels.length,
          wrong: extra.map(({ Name, DeviceId }) => `${Name} of ${DeviceId}`),
        },
      ];
    },
  };
}
