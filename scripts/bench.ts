// `npm run bench`: measures speed and size in one run on one machine, and prints the results. It judges nothing:
// machines differ, so each figure is compared with another of the same run, and only their ratio can be compared
// between machines. It fails if what it measures goes wrong.
//
//   npm run bench -- [section …] [--devices 100000] [--agents 1000] [--points 100000,1000000] [--log 10] [--artifact 2048] [--postgres]
//
// All sections run if none is named. Each prints a table:
//
//   <section>: <what it was measured on>
//   measured                        figure          compared with                figure          ratio
//   GET a page of 25, page 1        9,120 req/s     the same bytes, bare server  11,400 req/s    0.80
//
// "ratio" is the first figure divided by the second. For times, bytes and memory less is better; for …/s, more.
import { parseArgs } from 'node:util';
import type { Section } from './bench/section.ts';
import { tableOf } from './bench/table.ts';

const SECTIONS: Record<string, () => Promise<Section>> = {
  opening: async () => (await import('./bench/opening.ts')).opening,
  pages: async () => (await import('./bench/pages.ts')).pages,
  map: async () => (await import('./bench/map.ts')).map,
  replay: async () => (await import('./bench/replay.ts')).replay,
  log: async () => (await import('./bench/log.ts')).log,
  jobs: async () => (await import('./bench/jobs.ts')).jobs,
  service: async () => (await import('./bench/service.ts')).service,
  delivery: async () => (await import('./bench/delivery.ts')).delivery,
  joining: async () => (await import('./bench/joining.ts')).joining,
  artifacts: async () => (await import('./bench/artifacts.ts')).artifacts,
  tunnels: async () => (await import('./bench/tunnels.ts')).tunnels,
};

try {
  const { sections, sizes } = readArguments(process.argv.slice(2));
  for (const name of sections) {
    const measure = await SECTIONS[name]?.();
    if (!measure) continue;
    const { subject, rows } = await measure(sizes);
    process.stdout.write(`\n${name}: ${subject}\n${tableOf(rows)}\n`);
  }
} catch (cause) {
  process.stderr.write(`${cause instanceof TypeError || !(cause instanceof Error) ? String(cause) : cause.message}\n`);
  process.exitCode = 1;
}

function readArguments(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      devices: { type: 'string', default: '100000' },
      agents: { type: 'string', default: '1000' },
      points: { type: 'string', default: '100000,1000000' },
      log: { type: 'string', default: '10' },
      artifact: { type: 'string', default: '2048' },
      postgres: { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.find((name) => !(name in SECTIONS));
  if (unknown !== undefined)
    throw new Error(`There is no section "${unknown}". There are: ${Object.keys(SECTIONS).join(', ')}.`);
  const whole = (name: string, text: string) => {
    const number = /^\d{1,8}$/.test(text) ? Number(text) : 0;
    if (number < 1) throw new Error(`--${name} is "${text}", but it must be a whole number from 1 on.`);
    return number;
  };
  return {
    sections: positionals.length > 0 ? positionals : Object.keys(SECTIONS),
    sizes: {
      devices: whole('devices', values.devices),
      agents: whole('agents', values.agents),
      points: values.points.split(',').map((points) => whole('points', points)),
      logMegabytes: whole('log', values.log),
      artifactMegabytes: whole('artifact', values.artifact),
      postgres: values.postgres,
    },
  };
}
