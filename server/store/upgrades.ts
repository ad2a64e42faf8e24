// Upgrades the tables of an earlier version to those of schema.ts, in one transaction. The version of a database is a
// number: `user_version` in SQLite, the highest step in the table `migrations` in PostgreSQL.
//
// A change of the schema adds an upgrade at the end; a released upgrade is never edited. Upgrades are written once, in
// SQLite's dialect, like the schema. Triggers need no upgrade: all are dropped before it, and created from the schema
// after it.
import { FILL_JOB_STATES } from './job-states.ts';
import { SCHEMA } from './schema.ts';
import { dropTriggers, isTrigger, textOf } from './schema-text.ts';
import type { Definition, Engine } from './schema-text.ts';
import type { KnownVersions } from './database-version.ts';

/** The first version that can be upgraded: that of commit 7223ce0e, tagged schema-1. */
const OLDEST_VERSION = 36;

/** Whether the database has this table, or this `table.column`, before any upgrade. */
type Has = (name: string) => boolean;

interface Upgrade {
  /** The version after the upgrade. */
  to: number;
  changes: (has: Has) => Definition[];
  /** Triggers that are no longer in the schema. */
  formerTriggers?: readonly string[];
  /** It renames or removes what nodes of earlier versions use, so none of them may run. */
  stopsNodes?: true;
}

/**
 * Versions 37 to 42 each made one change, in another order on some branches, so each change checks what already exists.
 */
const toSchema = (has: Has): Definition[] => [
  `DROP INDEX IF EXISTS jobs_of_account;
  DROP INDEX IF EXISTS jobs_of_device;
  CREATE INDEX IF NOT EXISTS jobs_current ON jobs (parent_seq, device_seq) WHERE superseded = 0 AND parent_seq IS NOT NULL;
  CREATE INDEX IF NOT EXISTS jobs_of_artifact ON jobs (account_id, artifact_id, seq) WHERE parent_seq IS NULL AND artifact_id IS NOT NULL;
  CREATE INDEX jobs_of_account ON jobs (account_id, seq, name) WHERE parent_seq IS NULL;
  CREATE INDEX IF NOT EXISTS jobs_in_archive ON jobs (account_id, seq) WHERE parent_seq IS NULL AND archived IS NOT NULL;
  CREATE INDEX IF NOT EXISTS jobs_of_group ON jobs (account_id, device_group, seq) WHERE parent_seq IS NULL AND device_group IS NOT NULL;
  CREATE INDEX IF NOT EXISTS jobs_of_tag ON jobs (account_id, tag_id, seq) WHERE parent_seq IS NULL AND tag_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS jobs_by_move ON jobs (account_id, (coalesce(ended, started, created))) WHERE parent_seq IS NULL;
  CREATE INDEX jobs_of_device ON jobs (device_seq, seq, parent_seq) WHERE device_seq IS NOT NULL;`,
  ...(has('job_states')
    ? []
    : [
        `CREATE TABLE job_states (
          account_id INTEGER NOT NULL,
          archived INTEGER NOT NULL,
          state TEXT NOT NULL,
          job_seq INTEGER NOT NULL,
          PRIMARY KEY (account_id, archived, state, job_seq)
        ) STRICT, WITHOUT ROWID;`,
        FILL_JOB_STATES,
      ]),
  // The mark of how far the audit log is hashed.
  `INSERT INTO settings (key, value) SELECT 'audit_mark', audit_seq || ' ' || hash FROM audit_hashes
    WHERE audit_seq = (SELECT max(audit_seq) FROM audit_hashes)
      AND NOT EXISTS (SELECT 1 FROM settings WHERE key = 'audit_mark');`,
  ...(has('changes.mark')
    ? []
    : [
        {
          sqlite: 'ALTER TABLE changes ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;',
          postgres: `ALTER TABLE changes ADD COLUMN mark BIGINT NOT NULL
            DEFAULT CAST(floor(random() * ${Number.MAX_SAFE_INTEGER}) AS BIGINT);`,
        },
      ]),
  // The history tells which waves a person advanced: the service records every wave that passes its gate in the same
  // transaction.
  ...(has('rollout_waves.by_hand')
    ? []
    : [
        `ALTER TABLE rollout_waves ADD COLUMN by_hand INTEGER NOT NULL DEFAULT 0;
        UPDATE rollout_waves SET by_hand = 1 WHERE passed IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM rollout_steps s WHERE s.rollout_seq = rollout_waves.rollout_seq AND s.actor = ''
            AND s.text LIKE 'Wave ' || (rollout_waves.number + 1) || ' passed:%');`,
      ]),
  {
    sqlite: `CREATE INDEX audit_of_kind ON audit (substr(action, 1, instr(action, '.') - 1), seq);`,
    postgres: `CREATE INDEX audit_of_kind ON audit (split_part(action, '.', 1), seq);`,
  },
  `ALTER TABLE bulk_items ADD COLUMN draft TEXT;
  CREATE TABLE bulk_keys (
    bulk_seq INTEGER PRIMARY KEY REFERENCES bulk ON DELETE CASCADE,
    owner TEXT NOT NULL,
    sealed BLOB NOT NULL,
    previous_sealed BLOB
  ) STRICT;
  CREATE INDEX bulk_keys_of_owner ON bulk_keys (owner);`,
  `DROP INDEX orders_by_age;
  ALTER TABLE orders RENAME TO idempotency_keys;
  ALTER TABLE idempotency_keys RENAME COLUMN made TO result_id;
  CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created);
  ALTER TABLE rules RENAME TO outcome_rules;
  ALTER TABLE output_order RENAME TO output_runs;`,
  {
    postgres: `ALTER INDEX orders_pkey RENAME TO idempotency_keys_pkey;
      ALTER INDEX rules_pkey RENAME TO outcome_rules_pkey;
      ALTER INDEX output_order_pkey RENAME TO output_runs_pkey;`,
  },
];

/** People, with roles and groups; tokens and sessions may belong to one. */
const withPeople: Definition[] = [
  `ALTER TABLE accounts ADD COLUMN name TEXT NOT NULL DEFAULT '';
  ALTER TABLE accounts ADD COLUMN needs_otp INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE accounts ADD COLUMN removed INTEGER;
  ALTER TABLE views ADD COLUMN made_by TEXT NOT NULL DEFAULT '';
  UPDATE views SET made_by = changed_by;`,
  `CREATE TABLE people (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    groups_json TEXT NOT NULL DEFAULT '[]',
    state TEXT NOT NULL CHECK (state IN ('Invited', 'Active', 'Disabled', 'Removed')),
    source TEXT NOT NULL DEFAULT 'password' CHECK (source IN ('password', 'oidc')),
    password TEXT NOT NULL DEFAULT '',
    otp_secret BLOB,
    otp_step INTEGER NOT NULL DEFAULT 0,
    recovery_json TEXT NOT NULL DEFAULT '[]',
    issuer TEXT,
    subject TEXT,
    role_source TEXT NOT NULL DEFAULT '',
    created INTEGER NOT NULL,
    last_seen INTEGER,
    UNIQUE (issuer, subject)
  ) STRICT;`,
  'CREATE INDEX people_of_account ON people (account_id, seq);',
  `CREATE TABLE person_codes (
    hash BLOB PRIMARY KEY,
    person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    purpose TEXT NOT NULL CHECK (purpose IN ('invite', 'reset')),
    expires INTEGER NOT NULL,
    UNIQUE (person_id, purpose)
  ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE tokens ADD COLUMN person_id TEXT REFERENCES people (id) ON DELETE CASCADE;
  ALTER TABLE tokens ADD COLUMN role TEXT NOT NULL DEFAULT 'Admin';
  ALTER TABLE tokens ADD COLUMN groups_json TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE tokens ADD COLUMN expires INTEGER;
  ALTER TABLE tokens ADD COLUMN last_used_from TEXT NOT NULL DEFAULT '';
  CREATE INDEX tokens_of_person ON tokens (person_id) WHERE person_id IS NOT NULL;
  ALTER TABLE sessions ADD COLUMN person_id TEXT REFERENCES people (id) ON DELETE CASCADE;
  ALTER TABLE sessions ADD COLUMN how TEXT NOT NULL DEFAULT '';
  ALTER TABLE sessions ADD COLUMN ends INTEGER;
  ALTER TABLE sessions ADD COLUMN id_token BLOB;
  CREATE INDEX sessions_of_person ON sessions (person_id) WHERE person_id IS NOT NULL;
  UPDATE sessions SET how = CASE WHEN token_id IS NULL THEN 'link' ELSE 'token' END;`,
  // Who sees only some groups learns only of their changes.
  `ALTER TABLE changes ADD COLUMN grp TEXT;
  ALTER TABLE changes ADD COLUMN grp_before TEXT;`,
  `ALTER TABLE bulk ADD COLUMN credential TEXT NOT NULL DEFAULT '';
  ALTER TABLE bulk ADD COLUMN role TEXT NOT NULL DEFAULT 'Admin';
  ALTER TABLE bulk ADD COLUMN groups_json TEXT NOT NULL DEFAULT '[]';`,
];

/** Tunnels that people open here. */
const withRequestedTunnels: Definition[] = [
  `ALTER TABLE devices ADD COLUMN tunnels_allowed TEXT NOT NULL DEFAULT '';
  ALTER TABLE tunnels ADD COLUMN requested INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE tunnels ADD COLUMN login_hash TEXT NOT NULL DEFAULT '';
  DROP INDEX tunnels_by_destination;
  CREATE UNIQUE INDEX tunnels_by_destination ON tunnels (device_seq, protocol, local_dest, requested);
  CREATE INDEX tunnels_requested ON tunnels (device_seq) WHERE requested = 1;`,
];

/** Who opened a tunnel: the log knows it, unless that part of it was removed. */
export const WITH_OPENERS = `ALTER TABLE tunnels ADD COLUMN opened_by TEXT NOT NULL DEFAULT '';
  UPDATE tunnels SET opened_by = coalesce((SELECT max(actor) FROM audit_objects JOIN audit ON audit.seq = audit_seq
    WHERE object = tunnels.name AND action = 'tunnel.open'), '') WHERE requested = 1;`;

/** Devices that join by themselves. */
const withEnrolment: Definition[] = [
  `CREATE TABLE enrolment_keys (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    grp TEXT NOT NULL,
    customer TEXT NOT NULL,
    site TEXT NOT NULL,
    tags_json TEXT NOT NULL,
    max_uses INTEGER NOT NULL,
    uses INTEGER NOT NULL DEFAULT 0,
    expires INTEGER,
    needs_approval INTEGER NOT NULL,
    created INTEGER NOT NULL,
    last_used INTEGER
  ) STRICT;`,
  'CREATE INDEX enrolment_keys_of_account ON enrolment_keys (account_id, seq);',
  `CREATE TABLE enrolled_machines (
    account_id INTEGER NOT NULL,
    machine BLOB NOT NULL,
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    PRIMARY KEY (account_id, machine)
  ) STRICT, WITHOUT ROWID;`,
  'CREATE INDEX machines_of_device ON enrolled_machines (device_seq);',
  `CREATE TABLE enrolments (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    key_seq INTEGER NOT NULL REFERENCES enrolment_keys ON DELETE CASCADE,
    machine BLOB NOT NULL,
    secret_hash BLOB NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('Waiting', 'Rejected', 'Approved', 'Answered')),
    because TEXT NOT NULL,
    name TEXT NOT NULL,
    grp TEXT NOT NULL,
    facts_json TEXT NOT NULL,
    address TEXT NOT NULL,
    first_asked INTEGER NOT NULL,
    last_asked INTEGER NOT NULL,
    device_seq INTEGER REFERENCES devices ON DELETE CASCADE,
    answer BLOB,
    session INTEGER NOT NULL DEFAULT 0,
    UNIQUE (account_id, machine, secret_hash)
  ) STRICT;`,
  "CREATE INDEX enrolments_pending ON enrolments (account_id, seq) WHERE state IN ('Waiting', 'Rejected');",
  'CREATE INDEX enrolments_by_key_seq ON enrolments (key_seq);',
  'CREATE INDEX enrolments_of_device ON enrolments (device_seq) WHERE device_seq IS NOT NULL;',
];

/** Devices that show a code. */
const withPairing: Definition[] = [
  `CREATE TABLE pairings (
    id TEXT PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    machine BLOB NOT NULL,
    secret_hash BLOB NOT NULL,
    name TEXT NOT NULL,
    expires INTEGER NOT NULL,
    device_seq INTEGER REFERENCES devices ON DELETE CASCADE,
    answer BLOB,
    session INTEGER NOT NULL DEFAULT 0
  ) STRICT;`,
  'CREATE INDEX pairings_by_age ON pairings (expires);',
  'CREATE INDEX pairings_of_machine ON pairings (machine);',
  'CREATE INDEX pairings_of_device ON pairings (device_seq) WHERE device_seq IS NOT NULL;',
];

/** Facts of devices, and rules of alerts that are limited to devices with some. */
const withFacts: Definition[] = [
  `CREATE TABLE fact_names (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    UNIQUE (account_id, name)
  ) STRICT;`,
  `CREATE TABLE fact_values (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    name_seq INTEGER NOT NULL REFERENCES fact_names,
    value TEXT NOT NULL,
    UNIQUE (name_seq, value)
  ) STRICT;`,
  `CREATE TABLE device_facts (
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    name_seq INTEGER NOT NULL,
    value_seq INTEGER NOT NULL REFERENCES fact_values,
    at INTEGER NOT NULL,
    PRIMARY KEY (device_seq, name_seq)
  ) STRICT, WITHOUT ROWID;`,
  'CREATE INDEX devices_of_fact ON device_facts (value_seq, device_seq);',
  `CREATE TABLE fact_reports (
    device_seq INTEGER PRIMARY KEY REFERENCES devices ON DELETE CASCADE,
    at INTEGER NOT NULL,
    digest TEXT NOT NULL,
    problems TEXT NOT NULL
  ) STRICT;`,
  "ALTER TABLE alert_rules ADD COLUMN facts TEXT NOT NULL DEFAULT '{}';",
];

/** Uploads that can be resumed, and how much room an archive needs on a device. */
const withUploads: Definition[] = [
  'ALTER TABLE artifacts ADD COLUMN unpacked_bytes INTEGER NOT NULL DEFAULT 0;',
  `CREATE TABLE uploads (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    owner TEXT NOT NULL,
    metadata TEXT NOT NULL,
    length INTEGER NOT NULL,
    received INTEGER NOT NULL DEFAULT 0,
    pieces INTEGER NOT NULL DEFAULT 0,
    artifact_id TEXT,
    expires INTEGER NOT NULL
  ) STRICT;`,
  'CREATE INDEX uploads_of_account ON uploads (account_id);',
  'CREATE INDEX uploads_by_age ON uploads (expires);',
  `CREATE TABLE upload_pieces (
    upload_seq INTEGER NOT NULL REFERENCES uploads ON DELETE CASCADE,
    start INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (upload_seq, start)
  ) STRICT, WITHOUT ROWID;`,
];

/** Keys of devices that are replaced over the connection. */
const withKeyRotation: Definition[] = [
  `ALTER TABLE accounts ADD COLUMN rotation_days INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE devices ADD COLUMN key_since INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE devices ADD COLUMN rotation_asked INTEGER;
  ALTER TABLE devices ADD COLUMN next_key_hash BLOB;
  ALTER TABLE devices ADD COLUMN next_key_sent INTEGER;
  ALTER TABLE devices ADD COLUMN key_fixed TEXT NOT NULL DEFAULT '';
  ALTER TABLE devices ADD COLUMN rotation_problem TEXT NOT NULL DEFAULT '';
  UPDATE devices SET key_since = created;`,
  'CREATE UNIQUE INDEX devices_by_next_hash ON devices (next_key_hash) WHERE next_key_hash IS NOT NULL;',
  'CREATE INDEX devices_sent_keys ON devices (next_key_sent) WHERE next_key_sent IS NOT NULL;',
  'CREATE INDEX devices_by_age_of_keys ON devices (account_id, key_since) WHERE rotation_asked IS NULL;',
];

/** The triggers of versions before 43. */
const LOG_TRIGGERS = [
  ...'device job tunnel artifact workflow tag token session account bulk rollout alert_rule alert_channel alert_delivery'
    .split(' ')
    .flatMap((name) => ['added', 'changed', 'removed'].map((what) => `log_${name}_${what}`)),
  ...'tag_attached tag_detached job_archived job_adopted job_judged'.split(' ').map((name) => `log_${name}`),
];

const UPGRADES: readonly Upgrade[] = [
  {
    to: 43,
    changes: toSchema,
    // The last two are functions in PostgreSQL that several triggers shared.
    formerTriggers: [...LOG_TRIGGERS, 'state_of_job_changed', 'audit_append_only', 'count_output'],
    stopsNodes: true,
  },
  // Nodes of earlier versions would let everybody do everything.
  { to: 44, changes: () => withPeople, stopsNodes: true },
  {
    to: 45,
    changes: () => [
      ...withRequestedTunnels,
      ...['rollouts', 'standing_orders'].flatMap((table) => [
        `ALTER TABLE ${table} ADD COLUMN credential TEXT NOT NULL DEFAULT '';`,
        `ALTER TABLE ${table} ADD COLUMN role TEXT NOT NULL DEFAULT 'Admin';`,
        `ALTER TABLE ${table} ADD COLUMN groups_json TEXT NOT NULL DEFAULT '[]';`,
      ]),
      'CREATE INDEX jobs_ended ON jobs (account_id, ended, device_seq, status, verdict) WHERE device_seq IS NOT NULL AND ended IS NOT NULL;',
    ],
  },
  // What undo puts back. Nodes of earlier versions would fail every item of an undo.
  { to: 46, changes: () => ['ALTER TABLE bulk_items ADD COLUMN earlier TEXT;'], stopsNodes: true },
  { to: 47, changes: () => ['ALTER TABLE alert_rules ADD COLUMN percent INTEGER NOT NULL DEFAULT 90;'] },
  // Nodes of earlier versions would leave the new columns out of the hashes.
  {
    to: 48,
    changes: () => [
      `ALTER TABLE audit ADD COLUMN bulk_id TEXT NOT NULL DEFAULT '';
      ALTER TABLE audit ADD COLUMN removed_name TEXT NOT NULL DEFAULT '';
      CREATE INDEX audit_of_removed ON audit (account_id, seq) WHERE removed_name <> '';
      CREATE INDEX audit_removed_names ON audit (target) WHERE removed_name <> '';
      DROP INDEX state_changes_of_device;
      CREATE INDEX state_changes_of_device ON state_changes (device_seq, at, cause);`,
    ],
    stopsNodes: true,
  },
  { to: 49, changes: () => withEnrolment },
  { to: 50, changes: () => withFacts },
  { to: 51, changes: () => withPairing },
  { to: 52, changes: () => withUploads },
  // Nodes of earlier versions would refuse a device that comes with the key that another node sent it.
  { to: 53, changes: () => withKeyRotation, stopsNodes: true },
  { to: 54, changes: () => [WITH_OPENERS] },
  // Its time limit may count from a later time than its start, which is that of its job.
  {
    to: 55,
    changes: () => [
      `ALTER TABLE rollout_waves ADD COLUMN started INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE rollout_waves ADD COLUMN verdict TEXT;
      UPDATE rollout_waves SET started = coalesce((SELECT created FROM jobs WHERE seq = job_seq), began);`,
    ],
  },
  { to: 56, changes: () => ['ALTER TABLE enrolment_keys ADD COLUMN allow_tunnels INTEGER;'] },
];

/** The version of schema.ts. */
export const SCHEMA_VERSION = UPGRADES.at(-1)?.to ?? OLDEST_VERSION;

const after = (version: number) => UPGRADES.filter(({ to }) => to > version);

/** Whether nodes of earlier versions have to stop before the upgrade. */
export const stopsNodes = (from: number): boolean => after(from).some((upgrade) => upgrade.stopsNodes);

/** The statements that upgrade this version to the schema. */
export function upgradeFrom(version: number, has: Has, engine: Engine): string {
  const pending = after(version);
  const triggers = SCHEMA.filter(isTrigger);
  const former = pending.flatMap(({ formerTriggers = [] }) => formerTriggers);
  return [
    dropTriggers([...triggers.map(({ name }) => name), ...former], engine),
    ...pending.map(({ changes }) => textOf(changes(has), engine)),
    textOf(triggers, engine),
  ].join('\n');
}

export const SERVICE_VERSIONS: KnownVersions = { oldest: OLDEST_VERSION, newest: SCHEMA_VERSION };
