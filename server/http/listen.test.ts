import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { listen, stop } from './listen.ts';

test('a stop does not wait for a connection that has had no request', async ({ mock }) => {
  // So that none is cut because it took too long.
  mock.timers.enable({ apis: ['setTimeout'] });
  const server = createServer();
  await listen(server, '127.0.0.1', 0, 'PORT');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await Promise.all([once(server, 'connection'), once(client, 'connect')]);
  client.on('error', () => {});
  await stop(server);
});

/** Connects a thousand times while the other thread accepts nothing, and wakes it when all are connected. */
const ARRIVALS = `
  const { connect } = require('node:net');
  const { port, flag } = require('node:worker_threads').workerData;
  let left = 1000;
  for (let n = 0; n < 1000; n++)
    connect(port, '127.0.0.1', () => {
      left -= 1;
      if (left === 0) Atomics.notify(flag, 0, Atomics.store(flag, 0, 1));
    }).on('error', () => {});
`;

test('a thousand agents that arrive while the service is busy are not turned away', async (t) => {
  const most = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  if (most < 1_000) return t.skip('the system allows no such queue');
  const server = createServer();
  await listen(server, '127.0.0.1', 0, 'PORT');
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const arrivals = new Worker(ARRIVALS, {
    eval: true,
    workerData: { port: (server.address() as AddressInfo).port, flag },
  });
  await once(arrivals, 'online');
  const waited = Atomics.wait(flag, 0, 0, 30_000);
  await arrivals.terminate();
  await stop(server);
  assert.notEqual(waited, 'timed-out');
});
