// The dashboard in deploy/ queries only metrics that the service has.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startTestService } from '../server/test-service.ts';
// It counts from when it is loaded, which a service without such a store does not do.
import '../server/store/s3-client.ts';

const ROOT = path.dirname(import.meta.dirname);
const read = (name: string) => readFileSync(path.join(ROOT, 'deploy', name), 'utf8');

/** The names under which the values of a metric of this type are exported. */
const SUFFIXES: Record<string, string[]> = {
  gauge: [''],
  counter: ['_total'],
  histogram: ['_bucket', '_sum', '_count'],
};

test('each metric that the dashboard queries is one of the service', async (t) => {
  const service = await startTestService();
  t.after(() => service.end());
  const text = await (await service.call('GET', '/metrics')).text();
  const exported = new Set(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type = '']) =>
      (SUFFIXES[type] ?? []).map((suffix) => name + suffix),
    ),
  );
  const { panels } = JSON.parse(read('grafana-dashboard.json')) as { panels: { targets: { expr: string }[] }[] };
  const queried = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/\b(?:muster|nodejs|process)_\w+/g) ?? []),
  );
  assert.ok(queried.length > 15);
  assert.deepEqual(
    queried.filter((name) => !exported.has(name)),
    [],
  );
});
