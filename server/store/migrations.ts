// The migrations that create the tables. A released one is never edited: a change is a new one at the end.
// All times are milliseconds since the epoch, UTC.
//
// SQLite runs all of them. PostgreSQL begins with the tables of postgres-schema.ts, which equal those after the ninth,
// and runs the later ones. A new one is written once, in SQLite's words (INTEGER, TEXT, BLOB, REAL, AUTOINCREMENT,
// STRICT), which postgres-migrate.ts replaces for PostgreSQL; only what has no common form, like a trigger, is written
// for each engine: `{ sqlite, postgres }`. store/postgres.test.ts compares the tables of both.

export type Migration = string | { sqlite: string; postgres: string };

export const migrations: readonly Migration[] = [
  `
  CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY,
    email TEXT NOT NULL,
    max_devices INTEGER NOT NULL,
    num_devices INTEGER NOT NULL DEFAULT 0,   -- counted by whoever adds or deletes; counted anew at each start
    artifact_limit INTEGER NOT NULL,          -- bytes
    created INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,                     -- how the secret begins: enough to recognise it, not to use it
    hash BLOB NOT NULL UNIQUE,
    source TEXT NOT NULL CHECK (source IN ('env', 'made')),
    created INTEGER NOT NULL,
    last_used INTEGER,
    revoked INTEGER                           -- kept, so that an AUTH_TOKEN that was revoked does not come back to life
  ) STRICT;
  CREATE INDEX tokens_of_account ON tokens (account_id);

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    token_id TEXT REFERENCES tokens,          -- NULL: signed in by a printed link
    hash BLOB NOT NULL UNIQUE,
    previous_hash BLOB UNIQUE,
    rotated INTEGER NOT NULL,
    created INTEGER NOT NULL,
    last_used INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_of_token ON sessions (token_id);

  CREATE TABLE signin_codes (
    hash BLOB PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    expires INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE devices (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,    -- creation order; never used twice
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,                -- letter case folded by us: SQLite's lower() knows ASCII only
    grp TEXT NOT NULL,
    customer TEXT NOT NULL DEFAULT '',
    site TEXT NOT NULL DEFAULT '',
    key_hash BLOB NOT NULL UNIQUE,
    created INTEGER NOT NULL,
    last_seen INTEGER,
    online INTEGER NOT NULL DEFAULT 0,
    local_addr TEXT NOT NULL DEFAULT '',
    local_port TEXT NOT NULL DEFAULT '',
    agent_version TEXT NOT NULL DEFAULT '',
    os TEXT NOT NULL DEFAULT '',
    arch TEXT NOT NULL DEFAULT '',
    hostname TEXT NOT NULL DEFAULT '',
    lat REAL NOT NULL DEFAULT 0,
    lng REAL NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX devices_of_account ON devices (account_id, seq);
  CREATE INDEX devices_of_group ON devices (account_id, grp, seq);
  CREATE INDEX devices_online ON devices (account_id, seq) WHERE online = 1;

  CREATE TABLE tags (
    id TEXT PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    created INTEGER NOT NULL,
    UNIQUE (account_id, name)
  ) STRICT;

  CREATE TABLE device_tags (
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    tag_id TEXT NOT NULL REFERENCES tags ON DELETE CASCADE,
    PRIMARY KEY (device_seq, tag_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX devices_of_tag ON device_tags (tag_id, device_seq);

  CREATE TABLE artifacts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    size_given INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    is_script INTEGER NOT NULL,
    destination TEXT NOT NULL DEFAULT '',
    run_command TEXT NOT NULL DEFAULT '',
    folder TEXT NOT NULL DEFAULT '',          -- of a tar.gz: where its update.sh lies, '' for the root
    created INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX artifacts_of_account ON artifacts (account_id, seq);

  CREATE TABLE workflows (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    command TEXT NOT NULL,
    created INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX workflows_of_account ON workflows (account_id, seq);

  CREATE TABLE jobs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,    -- submission order, which is the order of execution
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    parent_seq INTEGER REFERENCES jobs ON DELETE CASCADE,
    device_seq INTEGER,                       -- NULL for a parent; no reference: a job outlives its device as history
    device_id TEXT NOT NULL DEFAULT '',
    device_name TEXT NOT NULL DEFAULT '',
    device_group TEXT,
    tag_id TEXT,
    name TEXT NOT NULL,
    artifact_id TEXT,
    workflow_id TEXT,
    command TEXT NOT NULL DEFAULT '',         -- '' for a child that was not handed over yet: its parent has it
    journal TEXT,                             -- the agent's data folder that it was handed to
    status TEXT NOT NULL
      CHECK (status IN ('Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled', 'Interrupted')),
    created INTEGER NOT NULL,
    started INTEGER,
    ended INTEGER,
    exit_code INTEGER,
    reason TEXT NOT NULL DEFAULT '',          -- why it ended as it did, where the exit code does not say
    result TEXT NOT NULL DEFAULT ''           -- how its output begins; of a parent, its summary
  ) STRICT;
  CREATE INDEX jobs_top ON jobs (account_id, seq) WHERE parent_seq IS NULL;
  CREATE INDEX jobs_of_parent ON jobs (parent_seq, seq) WHERE parent_seq IS NOT NULL;
  CREATE INDEX jobs_of_device ON jobs (device_seq, seq) WHERE device_seq IS NOT NULL;
  CREATE INDEX jobs_unfinished ON jobs (device_seq, seq) WHERE device_seq IS NOT NULL AND status IN ('Waiting', 'Running');

  CREATE INDEX jobs_waiting_for ON jobs (artifact_id) WHERE status = 'Waiting' AND artifact_id IS NOT NULL;

  CREATE TABLE submissions (                  -- Idempotency-Keys of the last day, so that an order sent twice acts once
    account_id INTEGER NOT NULL REFERENCES accounts,
    key TEXT NOT NULL,
    draft TEXT NOT NULL,                      -- the body it came with
    job_id TEXT NOT NULL,
    created INTEGER NOT NULL,
    PRIMARY KEY (account_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX submissions_by_age ON submissions (created);

  CREATE TABLE job_counts (                   -- of a parent: how many children are in each state
    job_seq INTEGER PRIMARY KEY REFERENCES jobs ON DELETE CASCADE,
    waiting INTEGER NOT NULL DEFAULT 0,
    running INTEGER NOT NULL DEFAULT 0,
    succeeded INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    cancelled INTEGER NOT NULL DEFAULT 0,
    interrupted INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE job_output (
    job_seq INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,
    stream INTEGER NOT NULL CHECK (stream IN (1, 2)),   -- 1 stdout, 2 stderr
    offset INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (job_seq, stream, offset)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE tunnels (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    protocol TEXT NOT NULL CHECK (protocol IN ('HTTP', 'TCP')),
    local_dest TEXT NOT NULL,
    port INTEGER,
    created INTEGER NOT NULL,
    connected INTEGER
  ) STRICT;
  CREATE INDEX tunnels_of_account ON tunnels (account_id, seq);
  CREATE INDEX tunnels_of_device ON tunnels (device_seq);

  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    account_id INTEGER,
    actor TEXT NOT NULL,
    address TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    outcome TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER audit_is_not_edited BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  `,
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
];
