// A node whose clock is not the database's says so: in the log, the metrics and the account.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../scripts/test-process.ts';
import { log } from '../operation/log.ts';
import { onPostgres } from '../store/test-database.ts';
import { startTestService } from '../test-service.ts';

if (onPostgres)
  void test('a clock that is a minute ahead of the database’s is told, and that it is right again', async (t) => {
    const clock = { offset: 0, set: 60_000, boot: 'this one' };
    const warned = t.mock.method(log, 'warn');
    const service = await startTestService({}, undefined, clock, {
      clusterTimes: { renewMs: 50, leaseMs: 10_000, rescanMs: 600_000 },
    });
    t.after(() => service.end());
    const difference = async () => {
      const account = (await (await service.call('GET', '/v1/account')).json()) as { ClockAheadSeconds?: number };
      return account.ClockAheadSeconds;
    };
    const gauge = async () => {
      const text = await (await service.call('GET', '/metrics')).text();
      return Number(/^muster_clock_ahead_of_database_seconds (.*)$/m.exec(text)?.[1]);
    };
    assert.equal(await difference(), 60);
    assert.equal(Math.round(await gauge()), 60);
    const lines = () =>
      warned.mock.calls.map(({ arguments: [line] }) => line).filter((line) => /clock of the/.test(line));
    assert.match(lines()[0] ?? '', /60 seconds ahead of the clock of the database/);
    clock.set = 0;
    await until('the right clock', async () => (await difference()) === undefined);
    assert.ok(Math.abs(await gauge()) < 5);
    assert.equal(lines().length, 1, 'it is said once');
  });
