// What a change of each table reports to clients that follow along (`GET /v1/events`, and lists that ask for updates).
// Triggers write the reports into `changes`, so that no statement, cascades included, can change what a list shows
// without a report. Not reported: last_seen of devices, traffic of tunnels, arriving output.
import { trigger } from './schema-text.ts';
import type { Definition } from './schema-text.ts';

interface Reported {
  table: string;
  /** The resource as clients know it. */
  kind: string;
  /** The columns whose updates are reported, or `*` for all. Without it, no update is. */
  columns?: string;
  /** The column with the account's id. */
  account?: string;
  /** The columns that identify the object; without them only the kind is reported. */
  id?: string;
  object?: string;
  parent?: string;
  /**
   * The group of its device, as an expression of the row's columns, and the column whose earlier value an update keeps.
   * Readers that see only some groups learn of no others.
   */
  group?: (row: 'new' | 'old') => string;
  groupColumn?: string;
  /** Reported instead of the row's own event, because the resource consists of several tables. */
  always?: 'changed';
  /** Deletions are not reported. */
  ignoresDeletion?: true;
}

const REPORTED = [
  {
    table: 'devices',
    kind: 'device',
    columns: `online, name, grp, customer, site, lat, lng, local_addr, local_port, agent_version, os, arch, hostname,
      agent_update, agent_problem, agent_problem_text, tunnels_allowed, rotation_asked, next_key_hash, key_fixed, rotation_problem`,
    object: 'seq',
    id: 'id',
    group: (row) => `${row}.grp`,
    groupColumn: 'grp',
  },
  {
    table: 'jobs',
    kind: 'job',
    columns:
      'status, started, ended, exit_code, reason, result, stop_asked, output_removed, superseded, verdict, judged',
    object: 'seq',
    parent: 'parent_seq',
    id: 'id',
  },
  {
    table: 'tunnels',
    kind: 'tunnel',
    columns: 'connected, offered, port, login, idle_seconds, expires',
    group: (row) => `(SELECT grp FROM devices WHERE seq = ${row}.device_seq)`,
  },
  { table: 'artifacts', kind: 'artifact' },
  { table: 'enrolment_keys', kind: 'enrolment', columns: 'uses' },
  { table: 'enrolments', kind: 'enrolment', columns: 'state' },
  { table: 'workflows', kind: 'workflow' },
  { table: 'tags', kind: 'tag' },
  { table: 'people', kind: 'person', columns: 'email, name, role, groups_json, state, source, otp_secret' },
  { table: 'tokens', kind: 'token', columns: 'revoked, role, groups_json' },
  { table: 'sessions', kind: 'session' },
  {
    table: 'accounts',
    kind: 'account',
    columns: 'email, name, needs_otp, rotation_days, max_devices, artifact_limit',
    account: 'id',
  },
  { table: 'bulk', kind: 'bulk', columns: 'state, next', id: 'id' },
  // Every step of a rollout increments its version.
  { table: 'rollouts', kind: 'rollout', columns: 'version', id: 'id' },
  { table: 'alert_rules', kind: 'alert', columns: '*', always: 'changed' },
  { table: 'alert_channels', kind: 'alert', always: 'changed' },
  { table: 'alert_deliveries', kind: 'alert', columns: '*', always: 'changed', ignoresDeletion: true },
] as const satisfies readonly Reported[];

export type ChangeKind = (typeof REPORTED)[number]['kind'];

/** Changes of one table that are reported as changes of another, or as another event. */
const REPORTED_OTHERWISE = [
  // The tags of a device are part of its row in lists.
  ...(['new', 'old'] as const).map((row) => ({
    name: row === 'new' ? 'report_tag_attached' : 'report_tag_detached',
    on: `${row === 'new' ? 'INSERT' : 'DELETE'} ON device_tags`,
    run: `INSERT INTO changes (account_id, kind, what, object, id, grp)
      SELECT account_id, 'device', 'changed', seq, id, grp FROM devices WHERE seq = ${row}.device_seq`,
  })),
  // An archived job leaves the lists, and a restored one returns to them.
  {
    name: 'report_job_archived',
    on: 'UPDATE OF archived ON jobs',
    run: `INSERT INTO changes (account_id, kind, what, object, id)
      VALUES (new.account_id, 'job', CASE WHEN new.archived IS NULL THEN 'added' ELSE 'removed' END, new.seq, new.id)`,
  },
  // A single job that is retried becomes a child, and its new parent takes its place in the lists.
  {
    name: 'report_job_adopted',
    on: 'UPDATE OF parent_seq ON jobs',
    run: `INSERT INTO changes (account_id, kind, what, object, id)
      VALUES (new.account_id, 'job', 'removed', new.seq, new.id)`,
  },
];

const EVENTS = [
  { event: 'INSERT', what: 'added', row: 'new' },
  { event: 'UPDATE', what: 'changed', row: 'new' },
  { event: 'DELETE', what: 'removed', row: 'old' },
] as const;

function triggersOf({ table, kind, columns, always, ignoresDeletion, ...names }: Reported): Definition[] {
  const { account = 'account_id', object, parent, id, group, groupColumn } = names;
  return EVENTS.filter(({ event }) => event !== 'UPDATE' || columns !== undefined)
    .filter(({ event }) => event !== 'DELETE' || !ignoresDeletion)
    .map(({ event, what, row }) => {
      const column = (name: string | undefined, missing: string) => (name === undefined ? missing : `${row}.${name}`);
      const before =
        event === 'UPDATE' && groupColumn !== undefined
          ? `CASE WHEN new.${groupColumn} <> old.${groupColumn} THEN old.${groupColumn} END`
          : 'NULL';
      const groups = group && { columns: ', grp, grp_before', values: `, ${group(row)}, ${before}` };
      return trigger({
        name: `report_${table}_${what}`,
        on: `${event}${event === 'UPDATE' && columns !== '*' ? ` OF ${columns}` : ''} ON ${table}`,
        run: `INSERT INTO changes (account_id, kind, what, object, parent, id${groups?.columns ?? ''})
          VALUES (${row}.${account}, '${kind}', '${always ?? what}', ${column(object, '0')}, ${column(parent, 'NULL')},
            ${column(id, "''")}${groups?.values ?? ''})`,
      });
    });
}

/** The triggers that write the reports. */
export const reportTriggers = (): Definition[] => [...REPORTED.flatMap(triggersOf), ...REPORTED_OTHERWISE.map(trigger)];
