// One, two and three nodes on one PostgreSQL beside one service with SQLite. All of them share this machine's cores: what
// more nodes bring elsewhere shows in the processor time that each request needs, not by the time that it takes here.
import { randomBytes } from 'node:crypto';
import { hasEngines, installEngines } from '../engines/install.ts';
import { DURABLE, startPostgres } from '../engines/postgres-server.ts';
import { addDevices, measurements, type Measured, type Subject } from './engine-load.ts';
import { withService, type MeasuredService } from './measured-service.ts';
import type { Row, Section, Sizes } from './section.ts';

const MOST_NODES = 3;

export const cluster: Section = async ({ devices, agents }) => {
  const subject = `nodes on one PostgreSQL and one service with SQLite, ${devices.toLocaleString('en-US')} devices`;
  if (!hasEngines()) {
    process.stderr.write('There is no PostgreSQL for this system in scripts/engines, so it is not measured.\n');
    return { subject, rows: [] };
  }
  installEngines();
  const server = await startPostgres(DURABLE);
  const env = { DATABASE_URL: server.url, CLUSTER_SECRET: randomBytes(32).toString('hex') };
  try {
    const base = await withService(
      async (node) => measured({ name: 'SQLite', nodes: [node], database: () => 0 }, devices, { devices, agents }),
      {},
    );
    const rows: Row[] = [];
    const grow = async (nodes: MeasuredService[]): Promise<void> => {
      const [first, ...others] = nodes;
      if (first) {
        const name = nodes.length === 1 ? '1 node' : `${nodes.length} nodes`;
        // Each time other devices, so that no agent is still expected on another node.
        const here: Subject = { name, nodes: [first, ...others], database: () => server.processor() };
        rows.push(
          ...compared(name, await measured(here, others.length === 0 ? devices : agents, { devices, agents }), base),
        );
      }
      if (nodes.length < MOST_NODES) await withService((node) => grow([...nodes, node]), env);
    };
    await grow([]);
    return { subject, rows };
  } finally {
    await server.remove();
  }
};

/** `added`: how many devices the subject gets for it. */
async function measured(
  subject: Subject,
  added: number,
  { devices, agents }: Pick<Sizes, 'devices' | 'agents'>,
): Promise<[what: string, Measured][]> {
  const keys = await addDevices(subject, added, agents);
  const figures: [string, Measured][] = [];
  for (const { what, of } of measurements(devices, new Map([[subject, keys]]))) figures.push([what, await of(subject)]);
  return figures;
}

const compared = (name: string, figures: [string, Measured][], base: [string, Measured][]): Row[] =>
  figures.flatMap(([what, { figure, processor }], index) => {
    const against = base[index]?.[1];
    if (!against) return [];
    return [
      { what: `${name}: ${what}`, figure, against: { what: 'SQLite', figure: against.figure } },
      {
        what: '  processor time of each, services and database',
        figure: processor,
        against: { what: 'SQLite', figure: against.processor },
      },
    ];
  });
