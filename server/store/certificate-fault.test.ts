// What is said of a certificate that is not trusted, by each way to a server.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { connect } from 'node:tls';
import { LOCALHOST_TLS } from '../../scripts/test-certificate.ts';
import { upstreamFault } from '../proxy/upstream-fault.ts';
import { certificateFault } from './certificate-fault.ts';
import { startFault } from './postgres-fault.ts';
import { faultOfConnection } from './s3-fault.ts';

const server = createServer(LOCALHOST_TLS, (_, response) => response.end());
let port = 0;
before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const SELF_SIGNED =
  'is self-signed: if it is yours, set NODE_EXTRA_CA_CERTS to a file with it, and restart the service (DEPTH_ZERO_SELF_SIGNED_CERT)';

async function refusalOf(options: { servername: string; ca?: string }): Promise<unknown> {
  const [cause] = (await once(connect({ host: '127.0.0.1', port, ...options }), 'error')) as unknown[];
  return cause;
}

test('a certificate that is self-signed, or for another name, says so with what to do', async () => {
  assert.equal(certificateFault(await refusalOf({ servername: 'localhost' })), SELF_SIGNED);
  assert.match(
    certificateFault(await refusalOf({ servername: 'mail.example.com', ca: LOCALHOST_TLS.cert })) ?? '',
    /^is for another name: connect by the name in the certificate/,
  );
});

test('it is found behind the error of fetch; another fault is none of a certificate', async () => {
  const cause: unknown = await fetch(`https://127.0.0.1:${port}/`).catch((error: unknown) => error);
  assert.equal(certificateFault(cause), SELF_SIGNED);
  assert.equal(certificateFault(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })), undefined);
  assert.equal(certificateFault(undefined), undefined);
});

test('an artifact store, PostgreSQL and an upstream service are described alike', async () => {
  const cause = await refusalOf({ servername: 'localhost' });
  const store = faultOfConnection(cause, false);
  assert.equal(store.reason, `cannot be trusted, because its certificate ${SELF_SIGNED}`);
  assert.ok(store.isConfiguration);
  const database = startFault(cause, new URL('postgres://muster@db.example.com/muster'));
  assert.ok(database instanceof Error);
  assert.match(database.message, /but the certificate of the server is self-signed.*NODE_EXTRA_CA_CERTS/);
  const { status, detail } = upstreamFault(cause, 'api.example.com');
  assert.equal(status, 502);
  assert.equal(detail, `The token was not sent: it ${SELF_SIGNED}.`);
});
