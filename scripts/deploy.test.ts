// The examples in deploy/ name only what the service has: its metrics and its settings.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../server/config.ts';
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
  const text = await (
    await service.call('GET', '/metrics', undefined, { Accept: 'application/openmetrics-text' })
  ).text();
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

/** Settings of the other programs. */
const OTHERS = /^POSTGRES_/;

/** Names with values: `NAME=value` in files of settings and units, `NAME: value` in the compose file. */
function settingsOf(file: string): [name: string, value: string][] {
  const lines = read(file).split('\n');
  return lines
    .flatMap((line) =>
      /^(Environment|ENV)[= ]/.test(line) ? line.replace(/^(Environment|ENV)[= ]/, '').split(' ') : [line],
    )
    .flatMap((line) => {
      const [, name, value] = /^\s*([A-Z][A-Z0-9_]+)(?:=|: )(.*)$/.exec(line) ?? [];
      return name !== undefined && value !== undefined && !OTHERS.test(name) ? [[name, value] as [string, string]] : [];
    });
}

test('each setting in deploy/ is one that the service reads, with a value that it accepts', () => {
  const files = globSync('{*.example,compose.yaml,Dockerfile,systemd/*}', { cwd: path.join(ROOT, 'deploy') });
  const settings = files.flatMap(settingsOf);
  assert.ok(settings.length > 20);
  const asked = new Set(['LOG_FORMAT']);
  const given = new Map(settings.filter(([, value]) => !value.includes('/var/lib/muster')));
  readConfig(
    new Proxy<Record<string, string | undefined>>(
      {},
      {
        get: (_, name) => {
          asked.add(String(name));
          return given.get(String(name));
        },
      },
    ),
  );
  assert.deepEqual(
    settings.map(([name]) => name).filter((name) => !asked.has(name)),
    [],
  );
});
