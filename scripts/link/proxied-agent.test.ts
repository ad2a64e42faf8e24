// Devices behind a proxy: the agent as devices have it, the service, and a proxy between them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { testFleet } from '../../server/test-fleet.ts';
import { startTestService, type TestService } from '../../server/test-service.ts';
import { openProxyTunnel } from '../../agent/proxy-client.ts';
import { buildAgents } from '../dist.ts';
import { LOCALHOST_TLS } from '../test-certificate.ts';
import { endProcesses, TestProcess, until } from '../test-process.ts';
import { startTestProxy } from '../test-proxy.ts';

const LOGIN = 'anna:p@ss:w/rd';
const LOGIN_IN_URL = 'anna:p%40ss%3Aw%2Frd';
const base = mkdtempSync(path.join(tmpdir(), 'muster-proxied-'));
const certificate = path.join(base, 'localhost.pem');
let folders = 0;
before(async () => {
  await buildAgents(base);
  writeFileSync(certificate, LOCALHOST_TLS.cert);
  writeFileSync(path.join(base, 'localhost.key'), LOCALHOST_TLS.key);
});
after(async () => {
  await endProcesses();
  rmSync(base, { recursive: true, force: true });
});

/** The agent as one file; in its environment is nothing but what is given. */
const run = (args: string[], env: NodeJS.ProcessEnv) =>
  new TestProcess([path.join(base, 'agent.mjs'), ...args], { env: { NODE_EXTRA_CA_CERTS: certificate, ...env } });
const connect = (server: string, args: string[], env: NodeJS.ProcessEnv) =>
  run(['--server', server, '--data', path.join(base, `device-${(folders += 1)}`), ...args], env);

const fleetOf = (service: TestService) => testFleet((...asked) => service.call(...asked));
const online = (service: TestService, id: string) =>
  until('it to be Online', async () => (await fleetOf(service).status(id)) === 'Online');

/** What a visitor of a tunnel gets. */
async function visit(port: number | undefined, address: string): Promise<string> {
  const sent = request({ port, host: '127.0.0.1', headers: { Host: new URL(address).host } }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return text(answer);
}

test('without a proxy, nothing of what one needs is loaded, and the rest is in the same file', () => {
  const program = readFileSync(path.join(base, 'agent.mjs'), 'utf8');
  const imported = [...program.matchAll(/^(?:import|export) [^'"]*['"]([^'"]+)['"]/gm)].map(([, name]) => name);
  assert.ok(imported.includes('node:net'));
  // The first of these loads what belongs to fetch, 5 MB of memory.
  for (const name of ['http', 'https', 'tls', 'assert'])
    assert.ok(!imported.includes(name) && !imported.includes(`node:${name}`), name);
  assert.doesNotMatch(program, /import\(/);
  assert.match(program, /CONNECT \$\{/);
});

test('by a plain proxy with a login: link, job, download and tunnel', async (t) => {
  const [service, proxy] = await Promise.all([startTestService(), startTestProxy(LOGIN)]);
  const local = createServer((_incoming, outgoing) => outgoing.end('from the device')).listen(0, '127.0.0.1');
  await once(local, 'listening');
  t.after(async () => {
    local.close();
    await Promise.all([service.end(), proxy.end()]);
  });
  const fleet = fleetOf(service);
  const { id, key } = await fleet.device();
  const destination = `http://127.0.0.1:${(local.address() as AddressInfo).port}`;
  const env = { HTTP_PROXY: `http://${LOGIN_IN_URL}@${proxy.host}` };
  const agent = connect(service.url, ['--tunnel', destination], { DEVICE_KEY: key, ...env });
  await online(service, id);
  assert.match(agent.printed, new RegExp(`leads through the proxy ${proxy.host}\\.\n`));
  const artifact = await fleet.artifact('hello.sh', '1', { folder: base, command: 'cat hello.sh' });
  const job = await fleet.ended(await fleet.submit({ DeviceId: id, ArtifactId: artifact }));
  assert.deepEqual([job.Status, job.Stdout], ['Succeeded', '#!/bin/sh\n'], job.Result);
  const [, address = ''] = await agent.line(/is open at (\S+)$/);
  assert.equal(await visit(service.context.tunnelPort, address), 'from the device');
  await agent.end();
  const { host } = new URL(service.url);
  assert.deepEqual(
    proxy.asked.filter((asked) => asked.startsWith('CONNECT ')),
    [`CONNECT ${host}`, `CONNECT ${host}`],
  );
  assert.ok(!agent.printed.includes('w/rd') && !agent.printed.includes('w%2Frd'), agent.printed);
});

test('by a proxy to a service with TLS, which no_proxy takes out of the way again', async (t) => {
  const tls = { TLS_CERT: certificate, TLS_KEY: path.join(base, 'localhost.key') };
  const [service, proxy] = await Promise.all([startTestService(tls), startTestProxy()]);
  const url = service.url.replace('127.0.0.1', 'localhost');
  // Its own certificate is for localhost.
  const call = (method: string, at: string, body?: unknown) => callTls(url, service.token ?? '', method, at, body);
  t.after(() => Promise.all([service.end(), proxy.end()]));
  const fleet = testFleet(call);
  const { key } = await fleet.device();
  const env = { DEVICE_KEY: key, https_proxy: `http://${proxy.host}` };
  const first = connect(url, [], env);
  await first.line(/^Connected to /);
  await first.end();
  assert.deepEqual(proxy.asked, [`CONNECT ${new URL(url).host}`]);
  const second = connect(url, [], { ...env, no_proxy: 'localhost' });
  await second.line(/^Connected to /);
  await second.end();
  assert.equal(proxy.asked.length, 1);

  const file = path.join(base, 'fetched');
  assert.equal(await run(['fetch', `${url}/install.sh`, file], env).ended, 0);
  assert.match(readFileSync(file, 'utf8'), /^#!\/bin\/sh\n/);
  assert.equal(proxy.asked.length, 2);
});

async function callTls(url: string, token: string, method: string, at: string, body?: unknown): Promise<Response> {
  const { Agent, fetch: fetchBy } = await import('undici');
  const dispatcher = new Agent({ connect: { ca: LOCALHOST_TLS.cert } });
  return fetchBy(url + at, {
    method,
    dispatcher,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

test('a device joins with an enrolment key through a proxy', async (t) => {
  const [service, proxy] = await Promise.all([startTestService(), startTestProxy(LOGIN)]);
  t.after(() => Promise.all([service.end(), proxy.end()]));
  const made = await service.call('POST', '/v1/enrolment', { Name: 'all', DeviceGroup: '' });
  const { EnrolKey } = (await made.json()) as { EnrolKey: string };
  assert.equal(made.status, 200);
  const agent = connect(service.url, [], { ENROL_KEY: EnrolKey, http_proxy: `http://${LOGIN_IN_URL}@${proxy.host}` });
  await agent.line(/^Connected to /);
  await agent.end();
  assert.deepEqual(proxy.asked, [`POST ${service.url}/v1/enrol`, `CONNECT ${new URL(service.url).host}`]);
});

test('the log says which proxy refused, and with what', async (t) => {
  const proxy = await startTestProxy(LOGIN);
  t.after(() => proxy.end());
  const server = 'http://muster.example.com';
  const noLogin = connect(server, [], { DEVICE_KEY: 'key', http_proxy: proxy.host });
  await noLogin.line(new RegExp(`the proxy ${proxy.host} answered 407 Refused: it wants a login`));
  await noLogin.end();
  // As a final answer of the service it would end the agent.
  proxy.refuses = 401;
  const refused = connect(server, [], { DEVICE_KEY: 'key', http_proxy: `http://${LOGIN_IN_URL}@${proxy.host}` });
  await refused.line(new RegExp(`the proxy ${proxy.host} answered 401 Refused: see that`));
  assert.equal(await refused.end(), 0);
  const fetched = run(['fetch', 'https://muster.example.com/x', path.join(base, 'x')], { https_proxy: 'socks4://p' });
  assert.equal(await fetched.ended, 1);
  assert.match(fetched.printed, /https_proxy is "socks4:\/\/p", which is no proxy that the agent can use/);
  const unusable = connect(server, [], { DEVICE_KEY: 'key', http_proxy: 'socks5://p' });
  assert.equal(await unusable.ended, 1);
  assert.match(unusable.printed, /^http_proxy is "socks5:\/\/p"/);
});

test('the log says what was answered instead of the WebSocket', async (t) => {
  let status = 404;
  const front = createServer((_incoming, outgoing) => outgoing.writeHead(status).end('a page'));
  front.on('upgrade', (_incoming, socket) =>
    socket.end(`HTTP/1.1 ${status} Not Right\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`),
  );
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  t.after(() => front.close());
  const server = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  for (status of [200, 302, 404, 426, 502]) {
    const agent = connect(server, [], { DEVICE_KEY: 'key' });
    const [line] = await agent.line(/^No connection to /);
    assert.ok(line);
    assert.match(
      agent.printed,
      new RegExp(
        `\\(it answered ${status} Not Right; a proxy in between must pass WebSocket upgrades\\): trying again`,
      ),
    );
    await agent.end();
  }
  status = 503;
  const agent = connect(server, [], { DEVICE_KEY: 'key' });
  await agent.line(/\(it answered 503 Not Right\): trying again/);
  await agent.end();
});

test('a connection to a proxy that never answers ends with its request', async (t) => {
  const silent = createServer().on('connect', () => {});
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => silent.close());
  const proxy = new URL(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  const tunnel = openProxyTunnel(proxy);
  const asked = once(silent, 'connect');
  const sent = request('http://muster.example.com', { agent: tunnel.agent }).on('error', () => {});
  sent.end();
  const [, socket] = (await asked) as [IncomingMessage, Socket];
  const ended = once(socket.resume(), 'end');
  sent.destroy();
  tunnel.end();
  await ended;
  socket.destroy();
});
