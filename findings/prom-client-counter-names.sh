#!/bin/sh
# prom-client 15.1.3: a counter has another name in OpenMetrics than in the text format of Prometheus.
#
# Guess: one registry says the same names in both formats, so a service may choose the format by the Accept header.
# Reality: OpenMetrics wants counters to end in _total, and the library adds that there, and only there. A counter that was
# registered without it is `jobs` for one scraper and `jobs_total` for another; each dashboard fits only one. Registered with
# _total, it has one name in both. (Prometheus asks for OpenMetrics first; curl and older agents get text.)
#
# Seen:
#   registered jobs: text "jobs 1", OpenMetrics "jobs_total 1"
#   registered runs_total: text "runs_total 1", OpenMetrics "runs_total 1"
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund prom-client@15.1.3
cat >try.mjs <<'JS'
import assert from 'node:assert/strict';
import client from 'prom-client';

const sampleOf = async (name, contentType) => {
  const registry = new client.Registry();
  registry.setContentType(contentType);
  const counter = new client.Counter({ name, help: 'help', registers: [registry] });
  counter.inc();
  return (await registry.metrics()).split('\n').find((line) => line !== '' && !line.startsWith('#'));
};
const { PROMETHEUS_CONTENT_TYPE: text, OPENMETRICS_CONTENT_TYPE: open } = client.Registry;
for (const [name, inText, inOpen] of [
  ['jobs', 'jobs 1', 'jobs_total 1'],
  ['runs_total', 'runs_total 1', 'runs_total 1'],
]) {
  assert.equal(await sampleOf(name, text), inText);
  assert.equal(await sampleOf(name, open), inOpen);
  console.log(`registered ${name}: text "${inText}", OpenMetrics "${inOpen}"`);
}
JS
node try.mjs
