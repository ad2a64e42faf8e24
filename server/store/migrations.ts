// The migrations that create the tables. A released one is never edited: a change is a new one at the end.
// All times are milliseconds since the epoch, UTC.
//
// SQLite runs all of them. PostgreSQL begins with the tables of postgres-schema.ts, which equal those after the ninth,
// and runs the later ones. A new one is written once, in SQLite's words (INTEGER, TEXT, BLOB, REAL, AUTOINCREMENT,
// STRICT), which postgres-migrate.ts replaces for PostgreSQL; only what has no common form, like a trigger, is written
// for each engine: `{ sqlite, postgres }`. store/postgres.test.ts compares the tables of both.

import { ALERT_JOBS_TRIGGER, ALERT_TABLES, ALERT_TRIGGERS } from './alert-tables.ts';
import {
  ADOPTED_TRIGGER,
  ARCHIVE_TRIGGER,
  CHANGES_TABLE,
  CHANGE_MARKS,
  CHANGE_TRIGGERS,
  JUDGED_TRIGGER,
  TO_JUDGE_TRIGGER,
} from './change-log-tables.ts';
import { DEVICE_VERSIONS_TABLE } from './device-version-table.ts';
import { FIRST_TABLES } from './first-tables.ts';
import { JOB_LIST_TABLES, JOB_LIST_TRIGGERS } from './job-list-tables.ts';
import { ROLLOUT_OUTCOMES, ROLLOUT_TABLES, ROLLOUT_TRIGGERS, WAVES_BY_HAND } from './rollout-tables.ts';
import { STANDING_ORDER_TABLES } from './standing-order-tables.ts';
import { TOTALS_TABLE, TOTALS_TRIGGERS } from './state-totals-tables.ts';

export type Migration = string | { sqlite: string; postgres: string };

export const migrations: readonly Migration[] = [
  FIRST_TABLES,
  `
  DROP TABLE submissions;
  CREATE TABLE orders (                       -- Idempotency-Keys of the last day, so that an order sent twice acts once
    account_id INTEGER NOT NULL REFERENCES accounts,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,                     -- of what was ordered
    made TEXT NOT NULL,                       -- id of what came of it
    created INTEGER NOT NULL,
    PRIMARY KEY (account_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX orders_by_age ON orders (created);
  `,
  `
  -- A tunnel belongs to its destination on its device: it keeps its name however often the agent comes and goes.
  ALTER TABLE tunnels ADD COLUMN run TEXT NOT NULL DEFAULT '';         -- the agent's process that offered it last
  ALTER TABLE tunnels ADD COLUMN offered INTEGER NOT NULL DEFAULT 1;   -- 0: that process did not name it
  ALTER TABLE tunnels ADD COLUMN login INTEGER NOT NULL DEFAULT 0;     -- 1: visitors need a user and password
  ALTER TABLE tunnels ADD COLUMN idle_seconds INTEGER;
  ALTER TABLE tunnels ADD COLUMN expires INTEGER;
  CREATE UNIQUE INDEX tunnels_by_destination ON tunnels (device_seq, protocol, local_dest);
  CREATE UNIQUE INDEX tunnels_by_port ON tunnels (port) WHERE port IS NOT NULL;

  CREATE TABLE closed_tunnels (              -- what was closed stays so for the process that had offered it
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    protocol TEXT NOT NULL,
    local_dest TEXT NOT NULL,
    run TEXT NOT NULL,
    PRIMARY KEY (device_seq, protocol, local_dest)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE jobs ADD COLUMN stop_asked INTEGER;  -- when it was asked to stop; it has not until its agent says so
  CREATE INDEX jobs_waiting_of_parent ON jobs (parent_seq, device_seq) WHERE status = 'Waiting' AND parent_seq IS NOT NULL;
  `,
  `
  CREATE TABLE output_order (                 -- in which order the streams of a job arrived, see output-order.ts
    job_seq INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,
    number INTEGER NOT NULL,
    stream INTEGER NOT NULL CHECK (stream IN (1, 2)),   -- 1 stdout, 2 stderr
    stdout INTEGER NOT NULL,                  -- bytes of each stream that came before this run
    stderr INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (job_seq, number)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Few at any time; counted for /metrics, and after a crash.
  CREATE INDEX jobs_running ON jobs (device_seq) WHERE device_seq IS NOT NULL AND status = 'Running';
  `,
  `
  ALTER TABLE jobs ADD COLUMN output_bytes INTEGER NOT NULL DEFAULT 0;        -- stored of it, once it has ended
  ALTER TABLE jobs ADD COLUMN output_removed INTEGER;                         -- when it was taken away, the job stays
  ALTER TABLE jobs ADD COLUMN output_removed_why TEXT NOT NULL DEFAULT '';
  ALTER TABLE accounts ADD COLUMN output_bytes INTEGER NOT NULL DEFAULT 0;    -- the sum, kept by the triggers below
  UPDATE jobs SET output_bytes = (SELECT ifnull(sum(length(bytes)), 0) FROM job_output WHERE job_seq = jobs.seq)
    WHERE ended IS NOT NULL AND device_seq IS NOT NULL;
  UPDATE accounts SET output_bytes = (SELECT ifnull(sum(output_bytes), 0) FROM jobs WHERE account_id = accounts.id);
  CREATE INDEX jobs_with_output ON jobs (account_id, ended, seq, output_bytes) WHERE output_bytes > 0;
  CREATE TRIGGER output_changed AFTER UPDATE OF output_bytes ON jobs WHEN new.output_bytes <> old.output_bytes BEGIN
    UPDATE accounts SET output_bytes = output_bytes + new.output_bytes - old.output_bytes WHERE id = new.account_id;
  END;
  CREATE TRIGGER output_gone AFTER DELETE ON jobs WHEN old.output_bytes > 0 BEGIN
    UPDATE accounts SET output_bytes = output_bytes - old.output_bytes WHERE id = old.account_id;
  END;
  `,
  `
  ALTER TABLE devices ADD COLUMN agent_update TEXT NOT NULL DEFAULT '';        -- whether the agent can update itself
  ALTER TABLE devices ADD COLUMN agent_problem TEXT NOT NULL DEFAULT '';       -- TooOld, TooNew or UpdateFailed
  ALTER TABLE devices ADD COLUMN agent_problem_text TEXT NOT NULL DEFAULT '';
  ALTER TABLE devices ADD COLUMN agent_problem_time INTEGER;
  `,
  `
  ALTER TABLE sessions ADD COLUMN address TEXT NOT NULL DEFAULT '';  -- where it was last used from
  `,
  `
  -- Several services ("nodes") on one database; an embedded one has one.
  ALTER TABLE devices ADD COLUMN session INTEGER NOT NULL DEFAULT 0;  -- counts hellos and keys: only the latest agent's messages count
  ALTER TABLE devices ADD COLUMN node TEXT NOT NULL DEFAULT '';       -- that its agent connected to last
  ALTER TABLE devices ADD COLUMN update_asked TEXT NOT NULL DEFAULT '';  -- SHA-256 of the program that its agent is to be given
  CREATE INDEX devices_of_node ON devices (node) WHERE online = 1;
  ALTER TABLE tunnels ADD COLUMN login_proof TEXT NOT NULL DEFAULT '';   -- lets another node check logins
  ALTER TABLE tunnels ADD COLUMN connections INTEGER NOT NULL DEFAULT 0; -- these three as its node last noted them
  ALTER TABLE tunnels ADD COLUMN bytes_in INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE tunnels ADD COLUMN bytes_out INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE nodes (
    id TEXT PRIMARY KEY,
    url TEXT NOT NULL,                        -- where the others reach it
    secret_proof TEXT NOT NULL,               -- the same on all that have the same secret
    expires INTEGER NOT NULL                  -- by the database's clock; renewed while it lives
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE leases (name TEXT PRIMARY KEY, node TEXT NOT NULL, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE versions (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE bulk (                         -- a change of many devices or jobs, see bulk-runner.ts
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    action TEXT NOT NULL,
    of_what TEXT NOT NULL CHECK (of_what IN ('Devices', 'Jobs')),
    settings TEXT NOT NULL,
    actor TEXT NOT NULL,
    address TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('Running', 'Done', 'Cancelled')),
    next INTEGER NOT NULL DEFAULT 0,          -- items before this one have their outcome
    total INTEGER NOT NULL,
    done INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    skipped INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL,
    ended INTEGER
  ) STRICT;
  CREATE INDEX bulk_of_account ON bulk (account_id, seq);
  CREATE INDEX bulk_running ON bulk (seq) WHERE state = 'Running';

  CREATE TABLE bulk_items (
    bulk_seq INTEGER NOT NULL REFERENCES bulk ON DELETE CASCADE,
    number INTEGER NOT NULL,
    object TEXT NOT NULL,
    name TEXT NOT NULL DEFAULT '',
    outcome TEXT NOT NULL DEFAULT 'Left' CHECK (outcome IN ('Done', 'Failed', 'Skipped', 'Left')),
    because TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (bulk_seq, number)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- A retry of some of a job's devices adds further attempts to it; the last one of each device counts.
  ALTER TABLE jobs ADD COLUMN attempt INTEGER NOT NULL DEFAULT 1;        -- of a parent: the highest of its children
  ALTER TABLE jobs ADD COLUMN superseded INTEGER NOT NULL DEFAULT 0;     -- 1: a later attempt of its device is there
  CREATE INDEX jobs_superseded ON jobs (parent_seq, device_seq) WHERE superseded = 1;
  `,
  CHANGES_TABLE,
  CHANGE_TRIGGERS,
  `
  -- Each entry's hash covers the one before. Made after the entries, so that writes do not wait for it.
  CREATE TABLE audit_hashes (audit_seq INTEGER PRIMARY KEY, hash TEXT NOT NULL) STRICT;
  CREATE TABLE audit_objects (                -- each id in the target of an entry
    object TEXT NOT NULL,
    audit_seq INTEGER NOT NULL,
    PRIMARY KEY (object, audit_seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX audit_of_actor ON audit (actor, seq);
  CREATE INDEX audit_of_action ON audit (action, seq);
  CREATE INDEX audit_of_time ON audit (at);
  `,
  `
  ALTER TABLE jobs ADD COLUMN archived INTEGER;  -- when; only of ended top jobs, whose children are archived with them
  DROP INDEX jobs_top;
  CREATE INDEX jobs_top ON jobs (account_id, seq) WHERE parent_seq IS NULL AND archived IS NULL;
  CREATE INDEX jobs_archived ON jobs (account_id, archived, seq) WHERE archived IS NOT NULL;
  CREATE INDEX jobs_output_of_parent ON jobs (parent_seq, seq, output_bytes) WHERE output_bytes > 0 AND parent_seq IS NOT NULL;
  -- Which output is removed first is found in the index alone.
  DROP INDEX jobs_with_output;
  CREATE INDEX jobs_with_output ON jobs (account_id, ended, seq, output_bytes, parent_seq, archived) WHERE output_bytes > 0;
  `,
  ARCHIVE_TRIGGER,
  `
  CREATE TABLE usage_days (                   -- what an account used: the last reading of a day
    account_id INTEGER NOT NULL REFERENCES accounts,
    day INTEGER NOT NULL,                     -- since the epoch, in UTC
    devices INTEGER NOT NULL,
    artifact_bytes INTEGER NOT NULL,
    output_bytes INTEGER NOT NULL,
    PRIMARY KEY (account_id, day)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Agents download artifacts all the time: what people did is found without reading over that.
  CREATE INDEX audit_by_people ON audit (seq) WHERE NOT (actor >= 'device:' AND actor < 'device;');
  `,
  `
  CREATE TABLE state_changes (                -- a device went Online or Offline
    at INTEGER NOT NULL,
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    cause INTEGER NOT NULL,                   -- see state-history.ts
    PRIMARY KEY (at, device_seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX state_changes_of_device ON state_changes (device_seq, at);
  CREATE TABLE service_gaps (                 -- the service was down: nothing is known of any device
    from_time INTEGER PRIMARY KEY,
    to_time INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE devices ADD COLUMN state_online INTEGER NOT NULL DEFAULT 0;  -- as the history has it, and since when
  ALTER TABLE devices ADD COLUMN state_time INTEGER NOT NULL DEFAULT 0;
  UPDATE devices SET state_time = created;
  CREATE INDEX devices_to_settle ON devices (seq) WHERE online = 0 AND state_online = 1;
  `,
  ADOPTED_TRIGGER,
  `
  CREATE TABLE notes (                        -- what people wrote about a device
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE INDEX notes_of_device ON notes (device_seq, at);
  `,
  `
  CREATE TABLE views (                        -- saved views of the devices
    account_id INTEGER NOT NULL REFERENCES accounts,
    owner TEXT NOT NULL,                      -- who alone sees it; '': everybody
    folded TEXT NOT NULL,
    name TEXT NOT NULL,
    query TEXT NOT NULL,
    changed_by TEXT NOT NULL,
    changed INTEGER NOT NULL,
    PRIMARY KEY (account_id, owner, folded)
  ) STRICT, WITHOUT ROWID;
  `,
  ALERT_TABLES,
  ALERT_TRIGGERS,
  `
  CREATE TABLE rules (                        -- outcome rules, by what jobs run
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    rules TEXT NOT NULL,                      -- JSON
    version INTEGER NOT NULL,
    changed_by TEXT NOT NULL,
    changed INTEGER NOT NULL,
    PRIMARY KEY (account_id, name)
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE jobs ADD COLUMN rule_name TEXT; -- of top jobs: under which its rules are
  ALTER TABLE jobs ADD COLUMN verdict TEXT;
  ALTER TABLE jobs ADD COLUMN verdict_because TEXT NOT NULL DEFAULT '';
  ALTER TABLE jobs ADD COLUMN verdict_stream TEXT;
  ALTER TABLE jobs ADD COLUMN verdict_line INTEGER;
  ALTER TABLE jobs ADD COLUMN judged INTEGER NOT NULL DEFAULT 0;  -- of parents: how often children were judged
  CREATE INDEX jobs_unnamed ON jobs (seq) WHERE rule_name IS NULL AND parent_seq IS NULL;
  CREATE INDEX jobs_of_rules ON jobs (account_id, rule_name) WHERE parent_seq IS NULL;
  CREATE INDEX jobs_shifted ON jobs (parent_seq, status, verdict)
    WHERE verdict IS NOT NULL AND verdict <> status AND superseded = 0;
  CREATE TABLE to_judge (job_seq INTEGER PRIMARY KEY REFERENCES jobs ON DELETE CASCADE) STRICT;
  `,
  JUDGED_TRIGGER,
  TO_JUDGE_TRIGGER,
  ALERT_JOBS_TRIGGER,
  ROLLOUT_TABLES,
  DEVICE_VERSIONS_TABLE,
  TOTALS_TABLE,
  TOTALS_TRIGGERS,
  STANDING_ORDER_TABLES,
  ROLLOUT_TRIGGERS,
  ROLLOUT_OUTCOMES,
  `
  -- The job of a device in a wave or a standing order: what counts of its attempts.
  CREATE INDEX jobs_current ON jobs (parent_seq, device_seq) WHERE superseded = 0 AND parent_seq IS NOT NULL;
  CREATE INDEX jobs_of_artifact ON jobs (account_id, artifact_id, seq) WHERE parent_seq IS NULL AND artifact_id IS NOT NULL;
  `,
  JOB_LIST_TABLES,
  JOB_LIST_TRIGGERS,
  // How far the audit log is hashed (audit-mark.ts).
  `INSERT INTO settings (key, value)
    SELECT 'audit_mark', audit_seq || ' ' || hash FROM audit_hashes ORDER BY audit_seq DESC LIMIT 1;`,
  CHANGE_MARKS,
  WAVES_BY_HAND,
  `
  ALTER TABLE bulk_items ADD COLUMN draft TEXT; -- of create: the device as JSON, with the hash of its key
  CREATE TABLE bulk_keys (                    -- keys of created devices, for who asked for them; see bulk-keys.ts
    bulk_seq INTEGER PRIMARY KEY REFERENCES bulk ON DELETE CASCADE,
    owner TEXT NOT NULL,                      -- the actor
    sealed BLOB NOT NULL,
    previous_sealed BLOB                      -- with the value that the owner's session had before
  ) STRICT;
  CREATE INDEX bulk_keys_of_owner ON bulk_keys (owner);
  `,
];
