// Metrics as OpenMetrics text, or as that of Prometheus before it. Counters and histograms are of the process, in prom-client's own registry; values that can
// be looked up are gauges of a service, read when they are asked for.
// https://prometheus.io/docs/specs/om/open_metrics_spec/
// https://prometheus.io/docs/instrumenting/exposition_formats/
import { Counter, Gauge, register, Registry } from 'prom-client';
import type { RegistryContentType } from 'prom-client';

const OPEN_METRICS = Registry.OPENMETRICS_CONTENT_TYPE;
const TEXT = Registry.PROMETHEUS_CONTENT_TYPE;

/** The types know only Prometheus's own format, which is the default. */
function asOpenMetrics(registry: Registry): Registry {
  (registry as Registry<RegistryContentType>).setContentType(OPEN_METRICS);
  return registry;
}
const ofProcess = asOpenMetrics(register);

/** A counter whose values of its only label are known: all of them are there from the start. */
export function openCounter<Label extends string>(name: string, help: string, label: Label, values: readonly string[]) {
  const counter = new Counter({ name, help, labelNames: [label] });
  for (const value of values) counter.labels(value).inc(0);
  return { add: (value: string) => counter.labels(value).inc() };
}

/** One value, or one for each value of a label. */
type Values = number | Record<string, number>;

/** The gauges of one service. */
export class Gauges {
  readonly registry = asOpenMetrics(new Registry());

  add(name: string, help: string, read: () => Values | Promise<Values>, label?: string): void {
    const gauge = new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [],
      async collect() {
        const values = await read();
        if (typeof values === 'number') this.set(values);
        else for (const [value, number] of Object.entries(values)) this.labels(value).set(number);
      },
    });
    this.registry.registerMetric(gauge);
  }
}

/** All counters, and the gauges as they are now, in the format that an Accept header prefers. */
export async function printMetrics({ registry }: Gauges, accept: string): Promise<{ type: string; text: string }> {
  const text = await Registry.merge([ofProcess, registry]).metrics();
  return prefersOpenMetrics(accept) ? { type: OPEN_METRICS, text } : { type: TEXT, text: asText(text) };
}

/**
 * RFC 9110, section 12.5.1. Whoever does not name OpenMetrics gets the older format, which everything understands; so do clients
 * that accept neither.
 */
function prefersOpenMetrics(accept: string): boolean {
  const best = { open: 0, text: 0 };
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...rest] = range.split(';').map((part) => part.trim());
    const values = new Map(rest.map((part) => part.replaceAll('"', '').split('=', 2) as [string, string]));
    const version = values.get('version');
    const weight = Number(values.get('q') ?? 1);
    if (type === 'application/openmetrics-text' && (version ?? '1.0.0') === '1.0.0')
      best.open = Math.max(best.open, weight);
    if (type === 'text/plain' && (version ?? '0.0.4') === '0.0.4') best.text = Math.max(best.text, weight);
  }
  return best.open > 0 && best.open >= best.text;
}

/** In the older format the name of a counter has the suffix of its samples, and nothing marks the end. */
function asText(openMetrics: string): string {
  const counters = new Set([...openMetrics.matchAll(/^# TYPE (\S+) counter$/gm)].map(([, name]) => name));
  return openMetrics
    .replaceAll(/^# (HELP|TYPE) (\S+)/gm, (line, _what, name: string) => (counters.has(name) ? `${line}_total` : line))
    .replace(/# EOF\n$/, '');
}
