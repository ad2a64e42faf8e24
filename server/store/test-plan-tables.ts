// Filled tables for the tests of plans: 20 accounts, with jobs to groups, rollouts and standing orders.
import type { Client } from 'pg';
import type { Dialect } from './dialect.ts';
import { postgresDialect } from './dialect.ts';
import { withDollars } from './postgres-sql.ts';

/** `n.i` counts from 1. */
const upTo = (count: number) =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT`;

const SINGLE_JOBS = `INSERT INTO jobs (seq, id, account_id, device_seq, device_id, name, status, created, ended)
   ${upTo(20)} i, 'j' || i, 101, i, 'd' || i, 'job', 'Succeeded', i, i FROM n`;

/** Accounts, devices, and twenty single jobs: a service before its first job to a group. */
export const fleetOf = (devices: number, dialect: Dialect): string[] => [
  `INSERT INTO accounts (id, email, max_devices, artifact_limit, created) ${upTo(20)} 100 + i, 'a' || i, 100000, 0, 0 FROM n`,
  `INSERT INTO devices (seq, id, account_id, name, name_folded, grp, key_hash, created, state_time)
   ${upTo(devices)} i, 'd' || i, 101 + i % 20, 'Device ' || i, 'device ' || i, 'group ' || (i % 500),
     CAST('k' || i AS ${dialect === postgresDialect ? 'BYTEA' : 'BLOB'}), 0, 0 FROM n`,
  `INSERT INTO tags (id, account_id, name, created) ${upTo(1000)} 't' || i, 101 + i % 20, 'tag ' || i, 0 FROM n`,
  `INSERT INTO device_tags (device_seq, tag_id) ${upTo(devices)} i, 't' || (1 + i % 1000) FROM n`,
  `INSERT INTO fact_names (seq, account_id, name) ${upTo(420)} i, 101 + i % 20, 'fact' || i FROM n`,
  `INSERT INTO fact_values (seq, name_seq, value) ${upTo(devices)} i, 20 + i % 400, 'value ' || i FROM n`,
  `INSERT INTO device_facts (device_seq, name_seq, value_seq, at) ${upTo(devices)} i, 20 + i % 400, i, 0 FROM n`,
  `INSERT INTO artifacts (seq, id, account_id, name, version, size_given, size_bytes, sha256, is_script, created)
   ${upTo(2000)} i, 'x' || i, 101 + i % 20, 'app', '1.' || i, 1, 1, '', 1, 0 FROM n`,
  `INSERT INTO device_versions (device_seq, artifact_name, account_id, version, at, job_seq, job_id)
   ${upTo(devices)} i, 'app', 101 + i % 20, '1.' || (i % 50), 0, i, 'j' || i FROM n`,
  `INSERT INTO state_changes (at, device_seq, cause) ${upTo(3 * devices)} i, 1 + i % ${devices}, 1 FROM n`,
  `INSERT INTO audit (at, account_id, actor, address, action, target, outcome)
   ${upTo(devices)} i, 101 + i % 20, 'token:' || (i % 100), '', 'job.submit', 'd' || i, 'done' FROM n`,
  `INSERT INTO audit_objects (object, audit_seq) ${upTo(devices)} 'd' || i, i FROM n`,
  `INSERT INTO audit_hashes (audit_seq, hash) ${upTo(devices)} i, 'h' || i FROM n`,
  SINGLE_JOBS,
];

const OF_EACH = 50;

/** Jobs to groups, a rollout and a standing order. */
export const childrenOf = (devices: number): string[] => {
  const parents = devices / 10;
  return [
    `INSERT INTO jobs (seq, id, account_id, name, status, created, ended, artifact_id)
   ${upTo(parents)} 1000 + i, 'p' || i, 101 + i % 20, 'group job ' || i, 'Succeeded', i, i, 'x' || (1 + i % 2000) FROM n`,
    `INSERT INTO job_counts (job_seq, succeeded) ${upTo(parents)} 1000 + i, ${OF_EACH} FROM n`,
    `INSERT INTO jobs (seq, id, account_id, parent_seq, device_seq, device_id, name, status, created, ended)
   ${upTo(parents * OF_EACH)} 1000000 + i, 'c' || i, 101 + i % ${parents} % 20, 1001 + i % ${parents}, 1 + i * 7 % ${devices},
     'd' || (1 + i * 7 % ${devices}), 'child', 'Succeeded', i, i FROM n`,
    `INSERT INTO job_output (job_seq, stream, "offset", bytes) ${upTo(devices)} 1000000 + i, 1, 0, key_hash FROM n JOIN devices ON devices.seq = n.i`,
    `INSERT INTO output_runs (job_seq, number, stream, stdout, stderr, at) ${upTo(devices)} 1000000 + i, 0, 1, 0, 0, 0 FROM n`,
    `INSERT INTO rollouts (seq, id, account_id, name, settings, state, waves, actor, address, created)
   ${upTo(20)} i, 'r' || i, 100 + i, 'rollout', '{}', 'Succeeded', 3, '', '', 0 FROM n`,
    `INSERT INTO rollout_waves (rollout_seq, number, job_seq, began) ${upTo(60)} 1 + i % 20, i / 20 - i / 60, 1000 + i, 0 FROM n WHERE i < 60`,
    `INSERT INTO rollout_devices (rollout_seq, device_id, device_name, wave)
   ${upTo(devices)} 1 + i % 20, 'd' || i, '', i % 3 FROM n`,
    `INSERT INTO standing_orders (seq, account_id, folded, name, grp, artifact_id, artifact_name, artifact_version, actor, address, changed)
   ${upTo(20)} i, 100 + i, 'app', 'app', 'group ' || i, 'x' || i, 'app', '1.1', '', '', 0 FROM n`,
    `INSERT INTO standing_order_devices (order_seq, device_seq, job_seq) ${upTo(devices)} 1 + i % 20, i, 1001 + i % ${parents} FROM n`,
  ];
};

export const WITHOUT_CHILDREN: readonly string[] = ['TRUNCATE jobs, rollouts, standing_orders CASCADE', SINGLE_JOBS];

const LARGE = new Set([
  'devices',
  'device_tags',
  'device_versions',
  'fact_values',
  'device_facts',
  'state_changes',
  'audit',
  'audit_objects',
  'audit_hashes',
  'jobs',
  'job_output',
  'output_runs',
  'rollout_devices',
  'standing_order_devices',
]);

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** The large tables that PostgreSQL would read as a whole for a statement, whatever its parameters are. */
export async function readWhole(client: Client, sql: string): Promise<string[]> {
  const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
    `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${withDollars(sql)}`,
  );
  const whole = new Set<string>();
  const visit = (plan: Plan): void => {
    const table = plan['Relation Name'];
    if (plan['Node Type'] === 'Seq Scan' && table !== undefined && LARGE.has(table)) whole.add(table);
    plan.Plans?.forEach(visit);
  };
  for (const { Plan: plan } of rows[0]?.['QUERY PLAN'] ?? []) visit(plan);
  return [...whole];
}
