// The endpoints for machines, and how the service stops.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, mock, test } from 'node:test';
import type { ProblemBody } from '#/contract/problem.ts';
import { startBefore } from '../auth/test-gateway.ts';
import { FakeAgent } from '../test-agents.ts';
import { endProcesses, freePort } from '../../scripts/test-process.ts';
import { testFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let metricsPort: number;
before(async () => {
  metricsPort = await freePort();
  service = await startTestService({ METRICS_PORT: String(metricsPort) });
});
after(async () => {
  await service.end();
  await endProcesses();
});

/** The samples of an exposition, after checking the rules of the format. */
function readMetrics(exposition: string): Map<string, number> {
  assert.ok(exposition.endsWith('\n# EOF\n'));
  const samples = new Map<string, number>();
  const families = new Set<string>();
  let family = '';
  let type = '';
  for (const line of exposition.split('\n').slice(0, -2)) {
    const [, what, name = '', rest = ''] = /^# (TYPE|HELP) (\w+) (.+)$/.exec(line) ?? [];
    if (what === 'HELP') {
      assert.ok(!families.has(name), `${name} comes in one piece`);
      families.add(name);
      family = name;
    } else if (what === 'TYPE') {
      assert.equal(name, family);
      type = rest;
      assert.match(type, /^(counter|gauge|histogram)$/);
    } else {
      const [, sample = '', labels = '', value = ''] = /^([a-z_]+)(?:\{(.*)\})? ([-\d.e+]+)$/.exec(line) ?? [];
      const suffixes = { counter: ['_total'], gauge: [''], histogram: ['_bucket', '_sum', '_count'] }[type] ?? [];
      assert.ok(
        suffixes.some((suffix) => sample === family + suffix),
        line,
      );
      assert.match(labels, /^(\w+="([^"\\\n]|\\.)*"(,|$))*$/, line);
      const key = labels === '' ? sample : `${sample}{${labels}}`;
      assert.ok(!samples.has(key) && Number.isFinite(Number(value)), line);
      samples.set(key, Number(value));
    }
  }
  return samples;
}
const openMetrics = { headers: { Accept: 'application/openmetrics-text' } };
const metrics = async () =>
  readMetrics(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`, openMetrics)).text());

test('it lives and is ready, on both ports, and nobody has to sign in to ask', async () => {
  for (const base of [service.url, `http://127.0.0.1:${metricsPort}`])
    for (const at of ['/healthz', '/readyz']) {
      const response = await fetch(base + at);
      assert.deepEqual([response.status, response.headers.get('cache-control')], [200, 'no-store']);
    }
  assert.equal((await fetch(`http://127.0.0.1:${metricsPort}/v1/account`)).status, 404, 'that port has nothing else');
});

test('where the database takes no write it is not ready, and says why', async (t) => {
  const own = await startTestService();
  t.after(() => own.end());
  const write = mock.method(own.context.db, 'write', () => Promise.reject(new Error('disk I/O error')));
  const response = await fetch(`${own.url}/readyz`);
  const problem = (await response.json()) as ProblemBody;
  write.mock.restore();
  assert.equal(response.status, 503);
  assert.deepEqual(problem.errors, [{ field: 'database', message: 'takes no write: disk I/O error' }]);
  assert.equal((await fetch(`${own.url}/healthz`)).status, 200);
});

test('metrics need a token on the main port, and are OpenMetrics', async () => {
  assert.equal((await fetch(`${service.url}/metrics`)).status, 401);
  const response = await service.call('GET', '/metrics', undefined, { Accept: 'application/openmetrics-text' });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/openmetrics-text; version=1.0.0; charset=utf-8');
  const samples = readMetrics(await response.text());
  for (const name of [
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
    'muster_disk_free_bytes',
    'muster_db_commits_total',
    'muster_db_batch_writes_count',
    'nodejs_eventloop_delay_seconds{percentile="99"}',
  ])
    assert.ok((samples.get(name) ?? -1) >= 0, name);
});

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const ACCEPTED: [accept: string, type: string][] = [
  ['*/*', TEXT],
  ['text/plain', TEXT],
  ['text/html, */*;q=0.1', TEXT],
  ['application/json', TEXT],
  ['application/openmetrics-text;version=1.0.0;q=0.5, text/plain;version=0.0.4;q=0.6', TEXT],
  ['application/openmetrics-text;version=1.0.0;q=0, */*', TEXT],
  ['application/openmetrics-text; version=2.0.0, text/plain', TEXT],
  ['application/openmetrics-text', OPEN_METRICS],
  ['Application/OpenMetrics-Text; Version="1.0.0"', OPEN_METRICS],
  // Prometheus 2.42 and 3.5.
  [
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    OPEN_METRICS,
  ],
  [
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1',
    OPEN_METRICS,
  ],
];
test('metrics are in the format that the client prefers, with the same names in both', async () => {
  for (const [accept, type] of ACCEPTED) {
    const response = await service.call('GET', '/metrics', undefined, { Accept: accept });
    assert.deepEqual([response.headers.get('content-type'), response.headers.get('vary')], [type, 'Accept'], accept);
    assert.equal((await response.text()).endsWith('# EOF\n'), type === OPEN_METRICS, accept);
  }
  const texts = await Promise.all(
    ['text/plain', 'application/openmetrics-text'].map(async (Accept) =>
      (await service.call('GET', '/metrics', undefined, { Accept })).text(),
    ),
  );
  const [names, openNames] = texts.map((format) => [
    ...new Set([...format.matchAll(/^(?!muster_http)[a-z]\S*/gm)].map(([name]) => name)),
  ]);
  assert.ok(names && names.length > 30);
  assert.deepEqual(names, openNames);
  // The older format names a counter as its samples.
  assert.match(
    texts[0] ?? '',
    /^# HELP process_cpu_seconds_total .+\n# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total /m,
  );
  assert.match(texts[1] ?? '', /^# TYPE process_cpu_seconds counter\nprocess_cpu_seconds_total /m);
});

test('devices, agents, jobs and requests are counted, requests by the pattern of their path', async () => {
  const fleet = testFleet((...request) => service.call(...request));
  const first = await metrics();
  const device = await fleet.device();
  for (let n = 0; n < 2; n++) await fleet.device();
  const agent = await FakeAgent.connect(service.url, device.key);
  const job = await fleet.run('true', { DeviceId: device.id });
  agent.finish((await agent.receive('run')).job, 3, 'some output');
  await fleet.ended(job);
  for (const id of ['nothing', 'nothing-else']) assert.equal((await service.call('GET', `/v1/job/${id}`)).status, 404);
  // The values read from tables are cached for some seconds.
  const passed = mock.method(performance, 'now', () => 1e9);
  const samples = await metrics();
  passed.mock.restore();
  const grown = (name: string) => (samples.get(name) ?? 0) - (first.get(name) ?? 0);
  assert.equal(samples.get('muster_agents_connected'), 1);
  assert.equal(samples.get('muster_devices{state="Online"}'), 1);
  assert.equal(grown('muster_devices{state="NotConnected"}'), 2);
  assert.equal(grown('muster_devices{state="Offline"}'), 0);
  assert.equal(grown('muster_jobs_ended_total{state="Failed"}'), 1);
  assert.equal(samples.get('muster_job_output_stored_bytes'), 'some output'.length);
  assert.equal(grown('muster_job_output_bytes_total'), 'some output'.length);
  assert.equal(grown('muster_http_requests_total{method="GET",route="/v1/job/:job_id",status="404"}'), 2);
  assert.ok(grown('muster_http_request_duration_seconds_bucket{le="+Inf",method="GET",route="/v1/job/:job_id"}') >= 2);
  assert.ok(![...samples.keys()].some((name) => name.includes(device.id) || name.includes('nothing')));
  await agent.end();
});

/** An upload that stops halfway. */
async function halfUpload(to: TestService) {
  const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="x.sh"\r\n\r\n#!/bin/sh\n`;
  const field = (name: string, value: string) =>
    `\r\n--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
  const fields = { size: '1', version: '1', type: 'script', destination: '/tmp', command: 'sh x.sh' };
  const tail = `${Object.entries(fields)
    .map(([name, value]) => field(name, value))
    .join('')}\r\n--b--\r\n`;
  const sent = http.request(`${to.url}/v1/artifact`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${to.token}`,
      'Content-Type': 'multipart/form-data; boundary=b',
      'Content-Length': head.length + tail.length,
    },
  });
  const answer = once(sent, 'response') as Promise<[http.IncomingMessage]>;
  sent.write(head);
  const arriving = path.join(to.dataDir, 'artifacts/arriving');
  while (readdirSync(arriving).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  return { answer, finish: () => sent.end(tail), arriving };
}

test('a stop lets an upload end, answers what comes meanwhile, and then goes at once', async () => {
  const own = await startTestService();
  const { answer, finish } = await halfUpload(own);
  const kept = await own.call('GET', '/v1/account');
  assert.equal(kept.status, 200);
  await kept.text();
  const closed = own.close();
  assert.equal(own.context.traffic.active, 1);
  await assert.rejects(fetch(own.url, { headers: { Connection: 'close' } }), 'nothing new is taken');
  finish();
  const [response] = await answer;
  assert.equal(response.statusCode, 200, await text(response));
  await closed;
  rmSync(own.dataDir, { recursive: true });
});

test('an upload that takes longer than a stop can wait is answered, and nothing of it stays', async () => {
  const own = await startTestService();
  const { answer, arriving } = await halfUpload(own);
  own.context.traffic.stop(20);
  assert.equal((await fetch(`${own.url}/readyz`)).status, 503);
  const late = await own.call('GET', '/v1/account');
  assert.deepEqual([late.status, late.headers.get('connection')], [503, 'close']);
  const closed = own.close();
  const [response] = await answer;
  assert.deepEqual([response.statusCode, response.headers.connection], [503, 'close']);
  assert.match(await text(response), /The service is stopping/);
  await closed;
  assert.deepEqual(readdirSync(arriving), []);
  rmSync(own.dataDir, { recursive: true });
});

test('in front of another service it says the same of itself, and counts on its own port only', async (t) => {
  const port = await freePort();
  const { url } = await startBefore(t, (_, response) => response.end('{}'), { METRICS_PORT: String(port) });
  for (const at of ['/healthz', '/readyz']) assert.equal((await fetch(url + at)).status, 200);
  assert.equal((await fetch(`${url}/metrics`)).status, 404);
  const samples = readMetrics(await (await fetch(`http://127.0.0.1:${port}/metrics`, openMetrics)).text());
  assert.ok((samples.get('process_resident_memory_bytes') ?? 0) > 0);
});

test('in front of another service, a stop answers what that service leaves unanswered', async (t) => {
  let hasCome = () => {};
  const come = new Promise<void>((resolve) => (hasCome = resolve));
  const { url, traffic, end } = await startBefore(t, () => hasCome());
  const answer = fetch(`${url}/v1/devices`, {
    method: 'POST',
    headers: { Authorization: 'Bearer foreign-token', 'Content-Type': 'application/json' },
    body: JSON.stringify({ DeviceName: 'd', DeviceGroup: '' }),
  });
  await come;
  traffic.stop(20);
  const closed = end();
  const response = await answer;
  assert.deepEqual([response.status, response.headers.get('connection')], [503, 'close']);
  assert.match(((await response.json()) as ProblemBody).detail ?? '', /whether it was done, before you send it again/);
  await closed;
});
