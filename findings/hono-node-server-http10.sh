#!/bin/sh
# @hono/node-server 2.1.8: a request of HTTP/1.0 without a Host header never reaches the application.
#
# Guess: only HTTP/1.1 demands Host (RFC 9112, section 3.2), and Node itself refuses that; HTTP/1.0 without one, which load
# balancers send as their health check (HAProxy's `option httpchk` does), is answered like any other request.
# Reality: the listener needs a host to build the URL of the Request and answers 400 where there is none, so every node behind such
# a balancer counts as down. The option `hostname` of getRequestListener gives it one.
#
# Seen:
#   without hostname: HTTP/1.1 400 Bad Request
#   with hostname: HTTP/1.1 200 OK
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @hono/node-server@2.1.8 hono@4.13.19
cat >try.mjs <<'JS'
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { getRequestListener } from '@hono/node-server';

const statusOf = async (options) => {
  const server = createServer(getRequestListener(() => new Response('alive'), options));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect(server.address().port, '127.0.0.1');
  socket.write('GET /healthz HTTP/1.0\r\n\r\n');
  const [line] = (await text(socket)).split('\r\n');
  server.close();
  return line;
};
for (const [what, options, expected] of [
  ['without hostname', {}, 'HTTP/1.1 400 Bad Request'],
  ['with hostname', { hostname: 'localhost' }, 'HTTP/1.1 200 OK'],
]) {
  assert.equal(await statusOf(options), expected);
  console.log(`${what}: ${expected}`);
}
JS
node try.mjs
