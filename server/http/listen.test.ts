import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
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
