// For tests of the gateway: an upstream service with given answers, and one gateway in front of it.
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { RequestListener } from 'node:http';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { readConfig } from '../config.ts';
import { timeOf } from '../test-service.ts';
import type { TestTime } from '../test-service.ts';
import { startGateway } from '../proxy/upstream-service.ts';

export const TOKEN = 'foreign-token';
export const WRONG_TOKEN = 'wrong-token';
const ACCOUNT = JSON.stringify({ UserEmail: 'a@example.com', PlanMaxDeviceLimit: 5, NumDevicesAdded: 1 });

interface ReceivedRequest {
  method: string | undefined;
  url: string | undefined;
  headers: http.IncomingHttpHeaders;
}

export async function listen(t: TestContext, answer: RequestListener): Promise<string> {
  const server = http.createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Answer = (...exchange: Parameters<RequestListener>) => unknown;

/** A gateway in front of a service with the given answers; `heard` are the requests that service received. */
export async function startBefore(t: TestContext, answer: Answer, env: Record<string, string> = {}) {
  const received: ReceivedRequest[] = [];
  const upstream = await listen(t, (request, response) => {
    received.push({ method: request.method, url: request.url, headers: request.headers });
    if (request.headers.authorization === `Bearer ${WRONG_TOKEN}`) response.writeHead(401).end();
    else if (request.url?.endsWith('/v1/account')) response.end(ACCOUNT);
    else void answer(request, response);
  });
  const dataDir = mkdtempSync(path.join(tmpdir(), 'muster-gateway-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const clock: TestTime = { offset: 0, set: 0, boot: 'this one' };
  const open = async (more: Record<string, string> = {}) => {
    const config = readConfig({ PORT: '0', DATA_DIR: dataDir, UPSTREAM_URL: upstream, ...env, ...more });
    const gateway = await startGateway(config, { time: timeOf(clock) });
    let ended: Promise<void> | undefined;
    const end = () => (ended ??= gateway.close());
    t.after(end);
    return { url: gateway.url, traffic: gateway.traffic, end };
  };
  const gateway = await open();
  const signIn = async (at = gateway.url, token = TOKEN) => {
    const response = await fetch(`${at}/auth/session`, {
      method: 'POST',
      headers: { origin: at, 'content-type': 'application/json' },
      body: JSON.stringify({ Token: token }),
    });
    return { response, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
  };
  return { ...gateway, upstream, received, dataDir, clock, open, signIn };
}

/** A gateway in front of a raw TCP server: `talk` gets each connection after the head of a request. */
export async function startBeforeRaw(t: TestContext, talk: (socket: Socket, head: string) => void): Promise<string> {
  const server = net.createServer((socket) => {
    let head = '';
    socket
      .setEncoding('latin1')
      .on('error', () => {})
      .on('data', (text: string) => {
        head += text;
        if (!head.endsWith('\r\n\r\n')) return;
        talk(socket, head);
        head = '';
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dataDir = mkdtempSync(path.join(tmpdir(), 'muster-gateway-'));
  const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gateway = await startGateway(readConfig({ PORT: '0', DATA_DIR: dataDir, UPSTREAM_URL: upstream }));
  t.after(async () => {
    await gateway.close();
    server.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return gateway.url;
}
