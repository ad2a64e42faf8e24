// Dashboards that are open: each has a stream of events, and asks for the devices that changed whenever an event names
// some, on a connection of its own.
import { connect, type Socket } from 'node:net';

interface Change {
  Devices?: string[] | 'many';
}

export interface Dashboard {
  close(): void;
}

interface DashboardOptions {
  url: string;
  headers: Record<string, string>;
  /** An event named these devices. */
  named: (ids: string[]) => void;
  /** An answer with changes has arrived. */
  answered: (bytes: number) => void;
  failed: (cause: Error) => void;
}

/** All dashboards of an account get the same text: it is read once. */
const read = new Map<string, Change>();
const MOST_READ = 100;

function changeOf(text: string): Change {
  let change = read.get(text);
  if (!change) {
    if (read.size >= MOST_READ) read.clear();
    read.set(text, (change = JSON.parse(text) as Change));
  }
  return change;
}

/** Resolves when its stream is ready. */
export async function openDashboard({ url, headers, named, answered, failed }: DashboardOptions): Promise<Dashboard> {
  const { hostname, port, host } = new URL(url);
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytesOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${fields.join('')}\r\n`;
  let isClosed = false;
  const open = async (): Promise<Socket> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, resolve);
    socket.once('error', reject);
    await promise;
    socket.on('error', failed);
    socket.on('close', () => isClosed || failed(new Error('The service closed the connection of a dashboard')));
    return socket;
  };
  const [stream, asking] = await Promise.all([open(), open()]);

  let version = '';
  let isAsking = false;
  let isStale = false;
  const ask = () => {
    isStale = isAsking;
    if (isAsking) return;
    isAsking = true;
    asking.write(bytesOf(`/v1/changes?since=${version}`));
  };
  let parts: Buffer[] = [];
  let missing: number | undefined;
  asking.on('data', (part) => {
    parts.push(part);
    if (missing === undefined) {
      const all = Buffer.concat(parts);
      const end = all.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = all.toString('latin1', 0, end + 2);
      if (!head.startsWith('HTTP/1.1 200')) return failed(new Error(`Changes were answered with ${head}`));
      parts = [all];
      missing = end + 4 + Number(/\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1]) - all.length;
    } else missing -= part.length;
    if (Number.isNaN(missing)) return failed(new Error('An answer with changes has no length'));
    if (missing > 0) return;
    const all = Buffer.concat(parts);
    version = /"Version":"([^"]+)"/.exec(all.toString('latin1', 0, 2_000))?.[1] ?? version;
    parts = [];
    missing = undefined;
    isAsking = false;
    answered(all.length);
    if (isStale) ask();
  });

  const ready = Promise.withResolvers<void>();
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    // The frame of a chunk is no line of an event.
    for (const [, event, id, data = ''] of text.matchAll(/event: (\w+)\n(?:id: (.*)\n)?data: (.*)\n\n/g)) {
      if (event === 'ready') {
        version = id ?? '';
        ready.resolve();
      } else if (event === 'change') {
        const { Devices } = changeOf(data);
        if (Devices === undefined) continue;
        if (Devices !== 'many') named(Devices);
        ask();
      } else failed(new Error(`The stream of a dashboard began anew: ${event}`));
    }
    text = text.slice(text.lastIndexOf('\n\n') + 2);
  });
  stream.write(bytesOf('/v1/events'));
  await ready.promise;
  return {
    close: () => {
      isClosed = true;
      for (const socket of [stream, asking]) socket.destroy();
    },
  };
}
