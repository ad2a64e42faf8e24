// A gateway in front of another service of ours: whatever the account says is offered passes it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../config.ts';
import { startTestService } from '../test-service.ts';
import { startGateway } from './upstream-service.ts';

/** Something to read of each. */
const PATHS: Record<string, string> = {
  Audit: '/v1/audit',
  History: '/v1/history/summary?by=device',
  Rollouts: '/v1/rollout',
  StandingOrders: '/v1/orders',
  Rules: '/v1/rules',
  Versions: '/v1/versions?artifact=myapp',
  Views: '/v1/views',
  Alerts: '/v1/alerts/rules',
};

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
  assert.equal((await read('/v1/jobs')).status, 200);
  const offered = Object.keys(account).filter((name) => account[name] === true);
  assert.ok(offered.length > 0);
  for (const name of offered) {
    const target = PATHS[name];
    assert.ok(target, `${name}: which path can be read?`);
    const { status } = await read(target);
    assert.equal(status, 200, `${name}: ${target}`);
  }
});
