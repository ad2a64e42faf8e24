// The throughput of a tunnel, compared with OpenSSH (`ssh -R`) and with a direct connection. Each of them has its turn
// in each round, so that a machine that becomes slower affects all of them.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Tunnel } from '../../src/contract/tunnels.ts';
import { TestProcess } from '../test-process.ts';
import { carrierRows } from './carriers.ts';
import { ask } from './load.ts';
import { withService, type MeasuredService } from './measured-service.ts';
import { openSshTunnel } from './openssh.ts';
import { median, milliseconds, type Row, type Section } from './section.ts';

const ROUNDS = 5;
const DOWNLOAD_BYTES = 64 * 1024 * 1024;
const CLIENTS = 16;
const REQUESTS = 10_000;

/** A connection to the service behind the tunnels. */
interface Way {
  name: string;
  port: number;
  host: string;
  downloads: number[];
  requests: number[];
  /** Milliseconds of the service's processor time for a request. */
  processor: number[];
}

export const tunnels: Section = async (sizes) => {
  const { subject, rows } = await throughput();
  return { subject, rows: [...rows, ...(await carrierRows(sizes))] };
};

const throughput = (): ReturnType<Section> =>
  withService(async (measured) => {
    const target = new TestProcess(['scripts/bench/tunnel-target.ts']);
    const folder = mkdtempSync(path.join(tmpdir(), 'muster-bench-agent-'));
    const [port] = (await once(target.child, 'message')) as [number];
    const agent = await startAgent(measured, port, folder);
    const ssh = await openSshTunnel(port);
    try {
      const way = (name: string, to: number, host = `127.0.0.1:${to}`): Way => {
        return { name, port: to, host, downloads: [], requests: [], processor: [] };
      };
      const { http, tcp } = await tunnelsTo(measured);
      const ways = {
        http: way('HTTP tunnel', Number(new URL(http.PublicUrl).port), new URL(http.PublicUrl).host),
        tcp: way('TCP tunnel', Number(tcp.PublicAddr?.split(':').at(-1))),
        ssh: typeof ssh === 'string' ? undefined : way('OpenSSH -R', ssh.port),
        direct: way('direct', port),
      };
      const there = Object.values(ways).filter((each) => each !== undefined);
      for (const each of there) {
        await download(each, DOWNLOAD_BYTES / 8);
        await rate(each, REQUESTS / 10);
      }
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const each of there) each.downloads.push(await download(each, DOWNLOAD_BYTES));
        for (const each of there) {
          const before = await measured.send('processor', null);
          each.requests.push(await rate(each, REQUESTS));
          const after = await measured.send('processor', null);
          each.processor.push((after.used - before.used) / REQUESTS);
        }
      }
      const rows = [ways.http, ways.tcp, ...(ways.ssh ? [ways.ssh] : [])].flatMap((each) =>
        rowsOf(each, each === ways.ssh || !ways.ssh ? ways.direct : ways.ssh),
      );
      const processor = ({ processor: times }: Way) => milliseconds(median(times));
      rows.push({
        what: 'processor time of the service for a request, HTTP tunnel',
        figure: processor(ways.http),
        against: { what: ways.tcp.name, figure: processor(ways.tcp) },
      });
      const without = typeof ssh === 'string' ? `; ${ssh}` : '';
      return {
        subject: `${DOWNLOAD_BYTES >> 20} MiB at a time, ${CLIENTS} kept connections, median of ${ROUNDS} rounds${without}`,
        rows,
      };
    } finally {
      if (typeof ssh !== 'string') ssh.close();
      await agent.end('SIGKILL');
      await target.end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });

function rowsOf(way: Way, other: Way): Row[] {
  const row = (what: string, unit: string, of: (each: Way) => number[]): Row => ({
    what: `${what}, ${way.name}`,
    figure: { value: median(of(way)), unit },
    against: { what: other.name, figure: { value: median(of(other)), unit } },
  });
  return [
    row('download', 'MB/s', ({ downloads }) => downloads),
    row('keep-alive requests', 'req/s', ({ requests }) => requests),
  ];
}

/** Megabytes per second of one large answer. */
async function download({ port, host }: Way, bytes: number): Promise<number> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  const begun = performance.now();
  socket.write(`GET /${bytes} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  let got = 0;
  await new Promise<void>((done, fail) => {
    socket.on('data', (part) => {
      got += part.length;
      if (got >= bytes) done();
    });
    socket.on('error', fail).on('close', () => fail(new Error(`The download ended after ${got} bytes`)));
  });
  const elapsed = performance.now() - begun;
  socket.destroy();
  return bytes / 1000 / elapsed;
}

async function rate({ port, host }: Way, count: number): Promise<number> {
  const request = { method: 'GET', path: '/', host };
  const { answered, elapsed } = await ask(`http://127.0.0.1:${port}`, request, CLIENTS, (done) => done >= count);
  return (answered * 1000) / elapsed;
}

async function startAgent({ url, send }: MeasuredService, port: number, folder: string) {
  const { keys } = await send('devices', { count: 1, group: 'bench', keys: true });
  const opened = [`http://127.0.0.1:${port}`, `tcp://127.0.0.1:${port}`].flatMap((to) => ['--tunnel', to]);
  return new TestProcess(['agent/main.ts', '--server', url, '--data', folder, ...opened], {
    env: { DEVICE_KEY: keys[0] },
  });
}

/** Both tunnels, when they are open. */
async function tunnelsTo({ url, headers }: MeasuredService): Promise<{ http: Tunnel; tcp: Tunnel }> {
  for (;;) {
    const listed = (await (await fetch(`${url}/v1/tunnels`, { headers })).json()) as Tunnel[];
    const up = (protocol: string) => listed.find((one) => one.Protocol === protocol && one.Uptime !== 'N/A');
    const [http, tcp] = [up('HTTP'), up('TCP')];
    if (http && tcp) return { http, tcp };
  }
}
