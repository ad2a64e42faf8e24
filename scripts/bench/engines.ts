// The embedded database beside PostgreSQL on the same machine, with the safety that both have by default: a change is
// answered when it is on the disk.
import { hasEngines, installEngines } from '../engines/install.ts';
import { DURABLE, startPostgres } from '../engines/postgres-server.ts';
import { addDevices, measurements, type Subject } from './engine-load.ts';
import { withService } from './measured-service.ts';
import type { Row, Section } from './section.ts';

export const engines: Section = async ({ devices, agents }) => {
  const subject = `PostgreSQL and SQLite, ${devices.toLocaleString('en-US')} devices; each with 16 clients on loopback`;
  if (!hasEngines()) {
    process.stderr.write('There is no PostgreSQL for this system in scripts/engines, so it is not measured.\n');
    return { subject, rows: [] };
  }
  installEngines();
  const server = await startPostgres(DURABLE);
  try {
    const rows = await withService(
      (postgres) =>
        withService((sqlite) =>
          compare(
            { name: 'PostgreSQL', nodes: [postgres], database: () => server.processor() },
            { name: 'SQLite', nodes: [sqlite], database: () => 0 },
            devices,
            agents,
          ),
        ),
      { DATABASE_URL: server.url },
    );
    return { subject, rows };
  } finally {
    await server.remove();
  }
};

async function compare(one: Subject, other: Subject, devices: number, agents: number): Promise<Row[]> {
  const keys = new Map([
    [one, await addDevices(one, devices, agents)],
    [other, await addDevices(other, devices, agents)],
  ]);
  const rows: Row[] = [];
  for (const { what, of } of measurements(devices, keys)) {
    const [figure, against] = [await of(one), await of(other)];
    rows.push({
      what: `${what}: ${one.name}`,
      figure: figure.figure,
      against: { what: other.name, figure: against.figure },
    });
    rows.push({
      what: '  processor time of each, service and database',
      figure: figure.processor,
      against: { what: other.name, figure: against.processor },
    });
  }
  return rows;
}
