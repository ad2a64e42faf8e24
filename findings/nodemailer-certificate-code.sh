#!/bin/sh
# nodemailer 10.6.0: the code of a certificate that is not trusted is not in `code`.
#
# Guess: sendMail rejects with the error of TLS, so `error.code` is DEPTH_ZERO_SELF_SIGNED_CERT and one table of codes serves
# webhooks and mail alike.
# Reality: `error.code` is ESOCKET, for a refused connection as well as for a certificate; what happened is in
# `error.originalCode`. A table by `code` says "the connection failed" to somebody whose server has its own authority.
#
# Seen:
#   self-signed, smtps: code ESOCKET, originalCode DEPTH_ZERO_SELF_SIGNED_CERT
#   nobody listens: code ESOCKET, originalCode ECONNREFUSED
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund nodemailer@10.6.0
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
  -keyout key.pem -out cert.pem 2>/dev/null
cat >try.mjs <<'JS'
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:tls';
import { createTransport } from 'nodemailer';

const server = createServer({ key: readFileSync('key.pem'), cert: readFileSync('cert.pem') });
server.on('tlsClientError', () => {});
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address();
const codesOf = async (options) => {
  const transport = createTransport({ host: '127.0.0.1', ...options });
  const error = await transport.sendMail({ from: 'a@example.com', to: 'b@example.com', text: 'hello' }).catch((cause) => cause);
  transport.close();
  return `code ${error.code}, originalCode ${error.originalCode}`;
};
const trust = await codesOf({ port, secure: true, tls: { servername: 'localhost' } });
assert.equal(trust, 'code ESOCKET, originalCode DEPTH_ZERO_SELF_SIGNED_CERT');
console.log(`self-signed, smtps: ${trust}`);
server.close();
await once(server, 'close');
const refused = await codesOf({ port, secure: true });
assert.equal(refused, 'code ESOCKET, originalCode ECONNREFUSED');
console.log(`nobody listens: ${refused}`);
JS
node try.mjs
