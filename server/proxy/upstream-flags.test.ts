// A gateway in front of another service of ours: whatever the account says is offered passes it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../config.ts';
import { TOKEN, startBefore } from '../auth/test-gateway.ts';
import { startTestService } from '../test-service.ts';
import { startGateway } from './upstream-service.ts';

/** Something to read of each that has a list. */
const PATHS: Record<string, string> = {
  alerts: '/v1/alerts/rules',
  audit: '/v1/audit',
  bulk: '/v1/bulk',
  facts: '/v1/facts',
  history: '/v1/history/summary?by=device',
  jobs: '/v1/jobs',
  orders: '/v1/orders',
  rollouts: '/v1/rollout',
  rules: '/v1/rules',
  sessions: '/v1/account/sessions',
  tags: '/v1/tag',
  tokens: '/v1/account/tokens',
  usage: '/v1/history/usage',
  versions: '/v1/versions?artifact=myapp',
  views: '/v1/views',
};
/** Without a list of their own. */
const OTHERS = [
  'agent-update',
  'device-key',
  'idempotency',
  'key-rotation',
  'notes',
  'output',
  'queue',
  'stop',
  'timeline',
];

test('what the account offers is answered through a gateway', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const dataDir = mkdtempSync(path.join(tmpdir(), 'muster-gateway-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const gateway = await startGateway(readConfig({ PORT: '0', DATA_DIR: dataDir, UPSTREAM_URL: service.url }));
  t.after(() => gateway.close());
  const read = (target: string) =>
    fetch(gateway.url + target, { headers: { Authorization: `Bearer ${service.token}` } });
  const account = (await (await read('/v1/account')).json()) as Record<string, unknown>;
  // The archive and the events are not forwarded.
  const { Capabilities } = account as { Capabilities: string[] };
  assert.deepEqual(
    ['jobs', 'audit', 'archive', 'live'].map((name) => Capabilities.includes(name)),
    [true, true, false, false],
  );
  assert.deepEqual(Capabilities.toSorted(), [...Object.keys(PATHS), ...OTHERS].toSorted());
  for (const name of Object.keys(PATHS)) {
    const target = PATHS[name];
    assert.ok(target, `${name}: which path can be read?`);
    const { status } = await read(target);
    assert.equal(status, 200, `${name}: ${target}`);
  }
});

/** A plain service whose answer about tags a test sets. */
async function beforePlain(t: Parameters<typeof startBefore>[0], tags: () => [status: number, body: string]) {
  let asked = 0;
  const { url } = await startBefore(t, ({ url: target }, response) => {
    if (target === '/v1/account') return void response.end('{"UserEmail":"plain@example.com"}');
    asked++;
    const [status, body] = tags();
    response.writeHead(status).end(body);
  });
  const offered = async () => {
    const answer = await fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${TOKEN}` } });
    return ((await answer.json()) as { Capabilities: string[] }).Capabilities;
  };
  return { offered, asked: () => asked };
}

test('tags are offered where a plain service lists them, which is found out once', async (t) => {
  const { offered, asked } = await beforePlain(t, () => [200, '[{"TagId":"t1","TagName":"red"}]']);
  for (let time = 0; time < 3; time++) assert.deepEqual(await offered(), ['tags']);
  assert.equal(asked(), 1);
});

for (const [name, status, body] of [
  ['knows no such path', 404, 'not found'],
  ['answers with a page', 200, '<!doctype html>'],
  ['answers with nothing', 200, ''],
] as const)
  test(`no tags are offered where a plain service ${name}, which is found out once`, async (t) => {
    const { offered, asked } = await beforePlain(t, () => [status, body]);
    for (let time = 0; time < 3; time++) assert.deepEqual(await offered(), []);
    assert.equal(asked(), 1);
  });

test('whether a service has tags is asked again where it was busy', async (t) => {
  let status = 503;
  const { offered, asked } = await beforePlain(t, () => [status, '[]']);
  assert.deepEqual(await offered(), []);
  status = 200;
  assert.deepEqual(await offered(), ['tags']);
  assert.equal(asked(), 2);
});
