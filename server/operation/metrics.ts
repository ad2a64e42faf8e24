// Metrics of the service as OpenMetrics text. Counters belong to the process; values that can be looked up are read on
// request instead of counted.
// https://prometheus.io/docs/specs/om/open_metrics_spec/

/** `method="GET",status="200"`, as printed. */
type Labels = string;
type Sample = readonly [labels: Labels, value: number];

/** A value of a running service, read on each request. */
export interface Gauge {
  name: string;
  help: string;
  /** For a total that is counted elsewhere. */
  type?: 'counter';
  read: () => Iterable<Sample> | Promise<Iterable<Sample>>;
}

interface Family {
  print(): Iterable<string>;
}
const families: Family[] = [];

const series = (name: string, labels: Labels, value: number) => `${name}${labels === '' ? '' : `{${labels}}`} ${value}`;
const head = (name: string, type: string, help: string) => [`# TYPE ${name} ${type}`, `# HELP ${name} ${help}`];

/** Counts from the start of the process. `name` without `_total`. */
export function openCounter(name: string, help: string, known: Labels[] = ['']) {
  const values = new Map<Labels, { value: number }>();
  const of = (labels: Labels) => {
    let one = values.get(labels);
    if (!one) values.set(labels, (one = { value: 0 }));
    return one;
  };
  for (const labels of known) of(labels);
  families.push({
    print: () => [
      ...head(name, 'counter', help),
      ...Array.from(values, ([labels, { value }]) => series(`${name}_total`, labels, value)),
    ],
  });
  return {
    /** A single counter, for frequent use. */
    of,
    add: (labels: Labels, by = 1) => void (of(labels).value += by),
  };
}

/** How many values were at most each of the `bounds`. */
interface Observed {
  counts: number[];
  sum: number;
}

/** `bounds` in ascending order. */
export function openHistogram(name: string, help: string, bounds: readonly number[]) {
  const known = new Map<Labels, Observed>();
  families.push({
    print: function* print() {
      yield* head(name, 'histogram', help);
      for (const [labels, { counts, sum }] of known) {
        const comma = labels === '' ? '' : `${labels},`;
        let count = 0;
        for (const [index, here] of counts.entries()) {
          count += here;
          yield series(`${name}_bucket`, `${comma}le="${bounds[index] ?? '+Inf'}"`, count);
        }
        yield series(`${name}_sum`, labels, sum);
        yield series(`${name}_count`, labels, count);
      }
    },
  });
  const of = (labels: Labels): Observed => {
    let one = known.get(labels);
    if (!one) known.set(labels, (one = { counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 }));
    return one;
  };
  return {
    of,
    observe: (one: Observed, value: number) => {
      let index = 0;
      while (index < bounds.length && value > (bounds[index] ?? 0)) index += 1;
      one.counts[index] = (one.counts[index] ?? 0) + 1;
      one.sum += value;
    },
  };
}

export const METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** All counters, and the gauges as they are now. */
export async function printMetrics(gauges: readonly Gauge[]): Promise<string> {
  const lines = families.flatMap((family) => [...family.print()]);
  for (const { name, help, type, read } of gauges) {
    lines.push(...head(name, type ?? 'gauge', help));
    for (const [labels, value] of await read()) lines.push(series(type ? `${name}_total` : name, labels, value));
  }
  return `${lines.join('\n')}\n# EOF\n`;
}
