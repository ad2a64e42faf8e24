// Gauges of the service, read when /metrics is requested.
import type { Context } from './context.ts';
import type { Gauges } from './operation/metrics.ts';
import { processGauges } from './operation/process-metrics.ts';
import { countRunning } from './store/last-run.ts';

/** Values from tables are slow to read, and are cached this long. */
const CACHE_MS = 5_000;

export function serviceGauges({ db, link, clock, backups, config, events, cluster }: Context): Gauges {
  const number = async (sql: string) => (await db.get<{ number: number | null }>(sql))?.number ?? 0;
  const tables = remembered(async () => ({
    devices: await number('SELECT sum(num_devices) AS number FROM accounts'),
    online: await number('SELECT count(*) AS number FROM devices WHERE online = 1'),
    // By the index of devices that are away.
    notConnected: await number(
      'SELECT count(*) AS number FROM devices WHERE state_online = 0 AND online = 0 AND last_seen IS NULL',
    ),
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
  const gauges = processGauges(config.dataDir);
  const devices = async () => {
    const { devices: all, online, notConnected } = await tables();
    return { Online: online, Offline: all - online - notConnected, NotConnected: notConnected };
  };
  gauges.add('muster_devices', 'Devices by state.', devices, 'state');
  gauges.add('muster_agents_connected', 'Agents that are connected now.', () => [...link.all()].length);
  const jobs = async () => {
    const { unfinished, running } = await tables();
    return { Waiting: unfinished - running, Running: running };
  };
  gauges.add('muster_jobs', 'Jobs of devices that have not ended, by state.', jobs, 'state');
  const fromTables = (
    name: string,
    help: string,
    field: 'output' | 'artifacts' | 'tunnels' | 'firing' | 'undelivered',
  ) => gauges.add(name, help, async () => (await tables())[field]);
  fromTables('muster_job_output_stored_bytes', 'Output of ended jobs that is stored.', 'output');
  fromTables('muster_artifacts_stored_bytes', 'Artifacts that are stored.', 'artifacts');
  fromTables('muster_tunnels_open', 'Tunnels that an agent holds up.', 'tunnels');
  fromTables('muster_alerts_firing', 'Devices, tunnels and limits for which an alert fires.', 'firing');
  fromTables(
    'muster_alert_deliveries_waiting',
    'Deliveries of alerts that wait for their first or next attempt.',
    'undelivered',
  );
  gauges.add('muster_event_streams', 'Open streams of events to dashboards.', () => events.count());
  gauges.add('muster_db_queue', 'Writes that wait for their turn.', () => db.waiting());
  gauges.add(
    'muster_clock_set_seconds',
    "By how much the computer's clock was set in all.",
    () => (clock.now() - clock.unset()) / 1000,
  );
  gauges.add(
    'muster_clock_ahead_of_database_seconds',
    "By how much this machine's clock is ahead of the shared database's; negative behind it.",
    () => cluster.clockAheadMs() / 1000,
  );
  if (backups)
    gauges.add(
      'muster_backup_last_timestamp_seconds',
      'When the last scheduled backup since the start ended; 0 for none.',
      () => ({ success: (backups.last.success ?? 0) / 1000, failure: (backups.last.failure ?? 0) / 1000 }),
      'outcome',
    );
  return gauges;
}

function remembered<Value>(read: () => Value): () => Value {
  let last: { at: number; value: Value } | undefined;
  return () => {
    const now = performance.now();
    if (!last || now - last.at >= CACHE_MS) last = { at: now, value: read() };
    return last.value;
  };
}
