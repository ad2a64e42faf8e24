// Metrics as OpenMetrics text. Counters and histograms are of the process, in prom-client's own registry; values that can
// be looked up are gauges of a service, read when they are asked for.
// https://prometheus.io/docs/specs/om/open_metrics_spec/
import { Counter, Gauge, register, Registry } from 'prom-client';
import type { RegistryContentType } from 'prom-client';

export const METRICS_TYPE = Registry.OPENMETRICS_CONTENT_TYPE;

/** The types know only Prometheus's own format, which is the default. */
function asOpenMetrics(registry: Registry): Registry {
  (registry as Registry<RegistryContentType>).setContentType(METRICS_TYPE);
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

/** All counters, and the gauges as they are now. */
export const printMetrics = ({ registry }: Gauges): Promise<string> => Registry.merge([ofProcess, registry]).metrics();
