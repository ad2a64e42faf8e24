// PostgreSQL is restored to some seconds ago under a service that goes on: numbers of changes are given out again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../scripts/test-process.ts';
import { asAdministrator, onPostgres } from '../store/test-database.ts';
import { TestStream } from '../test-events.ts';
import { testFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';

interface Changes {
  Version: string;
  Reset: boolean;
  Devices: object[];
}

/** Makes a database from a copy of another one, which has no session meanwhile. */
async function copy(from: string, to: string): Promise<void> {
  await asAdministrator(`ALTER DATABASE ${from} ALLOW_CONNECTIONS false`);
  await asAdministrator(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${from}'`);
  await asAdministrator(`CREATE DATABASE ${to} TEMPLATE ${from}`);
  await asAdministrator(`ALTER DATABASE ${from} ALLOW_CONNECTIONS true`);
}

if (onPostgres)
  void test('what was read before a restore is answered with Reset, and no list is taken for unchanged', async (t) => {
    const service = await startTestService();
    t.after(() => service.end());
    const fleet = testFleet((...request) => service.call(...request));
    const create = (name: string) => until(`the device "${name}"`, () => fleet.device('', name).catch(() => undefined));
    const since = async (version: string) =>
      (await (await service.call('GET', `/v1/changes?since=${version}`)).json()) as Changes;
    const page = (tag: string) => service.call('GET', '/v1/devices/1/25', undefined, { 'If-None-Match': tag });
    const database = service.context.config.databaseUrl?.pathname.slice(1) ?? '';
    const kept = `${database}_kept`;

    await create('kept');
    await copy(database, kept);
    t.after(() => asAdministrator(`DROP DATABASE IF EXISTS ${kept} WITH (FORCE)`));
    await create('lost');
    const { Version } = await since('');
    const tag = (await page('')).headers.get('ETag') ?? '';
    assert.equal((await page(tag)).status, 304);

    await asAdministrator(`DROP DATABASE ${database} WITH (FORCE)`);
    await copy(kept, database);
    await create('later');
    const answer = await since(Version);
    assert.deepEqual([answer.Reset, answer.Devices], [true, []]);
    assert.notEqual(answer.Version, Version);
    const again = await page(tag);
    assert.equal(again.status, 200);
    const { Devices } = (await again.json()) as { Devices: { DeviceName: string }[] };
    assert.deepEqual(Devices.map(({ DeviceName }) => DeviceName).sort(), ['kept', 'later']);
    const stream = await TestStream.open(service, { 'Last-Event-ID': Version });
    await until('the reset', () => stream.events.some(({ event }) => event === 'reset'));
    stream.close();
  });
