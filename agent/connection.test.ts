// Which refusals of a key are final for an agent.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { WebSocketServer, type WebSocket } from 'ws';
import { LINK_VERSION, type ServiceMessage } from '#/contract/agent-link.ts';
import { until } from '../scripts/test-process.ts';
import { startAgent } from './agent.ts';

/** A service that gives its agent the key "next" when it comes with the first one. */
async function serve(
  t: TestContext,
  accepts: (key: string, times: number) => boolean,
  refusal = 'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm="muster"\r\n',
) {
  const asked: string[] = [];
  /** Of the agents that were welcomed. */
  const sockets: WebSocket[] = [];
  const links = new WebSocketServer({ noServer: true });
  const server = createServer().listen(0, '127.0.0.1');
  server.on('upgrade', (request, socket, head) => {
    const key = (request.headers.authorization ?? '').replace('Bearer ', '');
    asked.push(key);
    if (!accepts(key, asked.filter((each) => each === key).length)) {
      socket.end(`${refusal}Connection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    links.handleUpgrade(request, socket, head, (opened) => {
      const say = (message: ServiceMessage) => opened.send(JSON.stringify(message));
      opened.on('message', (frame: Buffer) => {
        const { type } = JSON.parse(frame.toString()) as { type: string };
        if (type === 'hello')
          say({ type: 'welcome', version: LINK_VERSION, device: 'd', name: 'unit', reconnectMs: 1 });
        if (type === 'hello') sockets.push(opened);
        if (type === 'hello' && key === 'first') say({ type: 'key', key: 'next' });
        if (type === 'key-stored') opened.close(1011);
      });
    });
  });
  await until('the port', () => server.listening);
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-connection-'));
  const keyFile = path.join(folder, 'key');
  const lines: string[] = [];
  writeFileSync(keyFile, 'first\n');
  const agent = startAgent({
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: 'first',
    keyFiles: [keyFile],
    data: path.join(folder, 'data'),
    log: (line) => void lines.push(line),
  });
  t.after(async () => {
    await agent.stop();
    for (const socket of sockets) socket.terminate();
    server.close();
    rmSync(folder, { recursive: true });
  });
  return { agent, asked, sockets, lines };
}

test('a key that the service has just given is tried once more when it is refused', async (t) => {
  let isKnown = true;
  const { agent, asked, sockets } = await serve(t, (key, times) => isKnown && (key === 'first' || times > 1));
  await until('a connection with the new key', () => sockets.length === 2);
  assert.deepEqual(asked, ['first', 'next', 'next']);

  // It has counted since: another refusal is final.
  isKnown = false;
  sockets[1]?.close(1011);
  const { why } = await agent.ending;
  assert.equal(why, 'refused');
  assert.deepEqual(asked, ['first', 'next', 'next', 'next']);
});

test('a key that is refused twice is final, although the service has just given it', async (t) => {
  const { agent, asked } = await serve(t, (key) => key === 'first');
  assert.equal((await agent.ending).why, 'refused');
  assert.deepEqual(asked, ['first', 'next', 'next']);
});

test('the key that an agent starts with is tried once', async (t) => {
  const { agent, asked } = await serve(t, () => false);
  assert.equal((await agent.ending).why, 'refused');
  assert.deepEqual(asked, ['first']);
});

test('a login that a proxy in front of the service wants ends nothing, and is said to be the proxy’s', async (t) => {
  const nginx = 'HTTP/1.1 401 Unauthorized\r\nServer: nginx/1.22.1\r\nWWW-Authenticate: Basic realm="Restricted"\r\n';
  const { asked, sockets, lines } = await serve(t, (_, times) => times > 1, nginx);
  await until('a connection', () => sockets.length === 1);
  assert.deepEqual(asked.slice(0, 2), ['first', 'first']);
  assert.match(
    lines.join('\n'),
    /\(a proxy in between, nginx\/1\.22\.1, answered 401 Unauthorized; see that it lets this device through\)/,
  );
});
