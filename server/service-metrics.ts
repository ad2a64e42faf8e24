// Gauges of the service, read when /metrics is requested.
import type { Context } from './context.ts';
import type { Gauge } from './operation/metrics.ts';
import { processGauges } from './operation/process-metrics.ts';
import { countRunning } from './store/last-run.ts';

/** Values from tables are slow to read, and are cached this long. */
const CACHE_MS = 5_000;

export function serviceGauges({ db, link, clock, backups, config, events, cluster }: Context): Gauge[] {
  const number = async (sql: string) => (await db.get<{ number: number | null }>(sql))?.number ?? 0;
  const tables = remembered(async () => ({
    devices: await number('SELECT sum(num_devices) AS number FROM accounts'),
    online: await number('SELECT count(*) AS number FROM devices WHERE online = 1'),
    // The index of unfinished jobs has the first; the second is the few that run.
    unfinished: await number(
      "SELECT count(*) AS number FROM jobs WHERE device_seq IS NOT NULL AND status IN ('Waiting', 'Running')",
    ),
    running: await countRunning(db),
    output: await number('SELECT sum(output_bytes) AS number FROM accounts'),
    artifacts: await number('SELECT sum(size_bytes) AS number FROM artifacts'),
    firing: await number("SELECT sum(firing) AS number FROM alert_rules WHERE event <> 'DeviceBack'"),
    undelivered: await number("SELECT count(*) AS number FROM alert_deliveries WHERE state = 'Waiting'"),
    tunnels: await number('SELECT count(*) AS number FROM tunnels WHERE connected IS NOT NULL'),
  }));
  const gauges: Gauge[] = [
    {
      name: 'muster_devices',
      help: 'Devices by state.',
      read: async () => {
        const { devices, online } = await tables();
        return [
          ['state="Online"', online],
          ['state="Offline"', devices - online],
        ];
      },
    },
    {
      name: 'muster_agents_connected',
      help: 'Agents that are connected now.',
      read: () => [['', [...link.all()].length]],
    },
    {
      name: 'muster_jobs',
      help: 'Jobs of devices that have not ended, by state.',
      read: async () => {
        const { unfinished, running } = await tables();
        return [
          ['state="Waiting"', unfinished - running],
          ['state="Running"', running],
        ];
      },
    },
    {
      name: 'muster_job_output_stored_bytes',
      help: 'Output of ended jobs that is stored.',
      read: async () => [['', (await tables()).output]],
    },
    {
      name: 'muster_artifacts_stored_bytes',
      help: 'Artifacts that are stored.',
      read: async () => [['', (await tables()).artifacts]],
    },
    {
      name: 'muster_tunnels_open',
      help: 'Tunnels that an agent holds up.',
      read: async () => [['', (await tables()).tunnels]],
    },
    {
      name: 'muster_alerts_firing',
      help: 'Devices, tunnels and limits for which an alert fires.',
      read: async () => [['', (await tables()).firing]],
    },
    {
      name: 'muster_alert_deliveries_waiting',
      help: 'Deliveries of alerts that wait for their first or next attempt.',
      read: async () => [['', (await tables()).undelivered]],
    },
    {
      name: 'muster_event_streams',
      help: 'Open streams of events to dashboards.',
      read: () => [['', events.count()]],
    },
    {
      name: 'muster_db_queue',
      help: 'Writes that wait for their turn.',
      read: () => [['', db.waiting()]],
    },
    {
      name: 'muster_clock_set_seconds',
      help: "By how much the computer's clock was set in all.",
      read: () => [['', (clock.now() - clock.unset()) / 1000]],
    },
  ];
  gauges.push({
    name: 'muster_clock_ahead_of_database_seconds',
    help: "By how much this machine's clock is ahead of the shared database's; negative behind it.",
    read: () => [['', cluster.clockAheadMs() / 1000]],
  });
  if (backups)
    gauges.push({
      name: 'muster_backup_last_timestamp_seconds',
      help: 'When the last scheduled backup since the start ended; 0 for none.',
      read: () => [
        ['outcome="success"', (backups.last.success ?? 0) / 1000],
        ['outcome="failure"', (backups.last.failure ?? 0) / 1000],
      ],
    });
  return [...gauges, ...processGauges(config.dataDir)];
}

function remembered<Value>(read: () => Value): () => Value {
  let last: { at: number; value: Value } | undefined;
  return () => {
    const now = performance.now();
    if (!last || now - last.at >= CACHE_MS) last = { at: now, value: read() };
    return last.value;
  };
}
