// The tables in PostgreSQL. A new database starts from this state, which equals SQLite's after its first
// BASELINE_STEPS migrations; later migrations run on both engines (migrations.ts). A test compares the tables.
//
// Texts are compared byte by byte (COLLATE "C"), as in SQLite. `rowid` is the order of insertion, which SQLite has in
// every table. The words are SQLite's, as in a migration: postgres-migrate.ts says how they are read.

export const BASELINE_STEPS = 9;

export const BASELINE = `
  CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY,
    email TEXT NOT NULL,
    max_devices INTEGER NOT NULL,
    num_devices INTEGER NOT NULL DEFAULT 0,
    artifact_limit INTEGER NOT NULL,
    created INTEGER NOT NULL,
    output_bytes INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    source TEXT NOT NULL CHECK (source IN ('env', 'made')),
    created INTEGER NOT NULL,
    last_used INTEGER,
    revoked INTEGER,
    rowid INTEGER GENERATED ALWAYS AS IDENTITY
  ) STRICT;
  CREATE INDEX tokens_of_account ON tokens (account_id);

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    token_id TEXT REFERENCES tokens,
    hash BLOB NOT NULL UNIQUE,
    previous_hash BLOB UNIQUE,
    rotated INTEGER NOT NULL,
    created INTEGER NOT NULL,
    last_used INTEGER NOT NULL,
    address TEXT NOT NULL DEFAULT '',
    rowid INTEGER GENERATED ALWAYS AS IDENTITY
  ) STRICT;
  CREATE INDEX sessions_of_token ON sessions (token_id);

  CREATE TABLE signin_codes (
    hash BLOB PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    expires INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE devices (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
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
    lng REAL NOT NULL DEFAULT 0,
    agent_update TEXT NOT NULL DEFAULT '',
    agent_problem TEXT NOT NULL DEFAULT '',
    agent_problem_text TEXT NOT NULL DEFAULT '',
    agent_problem_time INTEGER
  ) STRICT;
  CREATE INDEX devices_of_account ON devices (account_id, seq);
  CREATE INDEX devices_of_group ON devices (account_id, grp, seq);
  CREATE INDEX devices_online ON devices (account_id, seq) WHERE online = 1;

  CREATE TABLE tags (
    id TEXT PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    created INTEGER NOT NULL,
    rowid INTEGER GENERATED ALWAYS AS IDENTITY,
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
    folder TEXT NOT NULL DEFAULT '',
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
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    parent_seq INTEGER REFERENCES jobs ON DELETE CASCADE,
    device_seq INTEGER,
    device_id TEXT NOT NULL DEFAULT '',
    device_name TEXT NOT NULL DEFAULT '',
    device_group TEXT,
    tag_id TEXT,
    name TEXT NOT NULL,
    artifact_id TEXT,
    workflow_id TEXT,
    command TEXT NOT NULL DEFAULT '',
    journal TEXT,
    status TEXT NOT NULL
      CHECK (status IN ('Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled', 'Interrupted')),
    created INTEGER NOT NULL,
    started INTEGER,
    ended INTEGER,
    exit_code INTEGER,
    reason TEXT NOT NULL DEFAULT '',
    result TEXT NOT NULL DEFAULT '',
    stop_asked INTEGER,
    output_bytes INTEGER NOT NULL DEFAULT 0,
    output_removed INTEGER,
    output_removed_why TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE INDEX jobs_top ON jobs (account_id, seq) WHERE parent_seq IS NULL;
  CREATE INDEX jobs_of_parent ON jobs (parent_seq, seq) WHERE parent_seq IS NOT NULL;
  CREATE INDEX jobs_of_device ON jobs (device_seq, seq) WHERE device_seq IS NOT NULL;
  CREATE INDEX jobs_unfinished ON jobs (device_seq, seq) WHERE device_seq IS NOT NULL AND status IN ('Waiting', 'Running');
  CREATE INDEX jobs_waiting_for ON jobs (artifact_id) WHERE status = 'Waiting' AND artifact_id IS NOT NULL;
  CREATE INDEX jobs_waiting_of_parent ON jobs (parent_seq, device_seq) WHERE status = 'Waiting' AND parent_seq IS NOT NULL;
  CREATE INDEX jobs_running ON jobs (device_seq) WHERE device_seq IS NOT NULL AND status = 'Running';
  CREATE INDEX jobs_with_output ON jobs (account_id, ended, seq, output_bytes) WHERE output_bytes > 0;

  CREATE TABLE orders (
    account_id INTEGER NOT NULL REFERENCES accounts,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    made TEXT NOT NULL,
    created INTEGER NOT NULL,
    PRIMARY KEY (account_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX orders_by_age ON orders (created);

  CREATE TABLE job_counts (
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
    stream INTEGER NOT NULL CHECK (stream IN (1, 2)),
    "offset" INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (job_seq, stream, "offset")
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE job_output ALTER COLUMN bytes SET STORAGE EXTERNAL;

  CREATE TABLE output_order (
    job_seq INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,
    number INTEGER NOT NULL,
    stream INTEGER NOT NULL CHECK (stream IN (1, 2)),
    stdout INTEGER NOT NULL,
    stderr INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (job_seq, number)
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
    connected INTEGER,
    run TEXT NOT NULL DEFAULT '',
    offered INTEGER NOT NULL DEFAULT 1,
    login INTEGER NOT NULL DEFAULT 0,
    idle_seconds INTEGER,
    expires INTEGER
  ) STRICT;
  CREATE INDEX tunnels_of_account ON tunnels (account_id, seq);
  CREATE INDEX tunnels_of_device ON tunnels (device_seq);
  CREATE UNIQUE INDEX tunnels_by_destination ON tunnels (device_seq, protocol, local_dest);
  CREATE UNIQUE INDEX tunnels_by_port ON tunnels (port) WHERE port IS NOT NULL;

  CREATE TABLE closed_tunnels (
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    protocol TEXT NOT NULL,
    local_dest TEXT NOT NULL,
    run TEXT NOT NULL,
    PRIMARY KEY (device_seq, protocol, local_dest)
  ) STRICT, WITHOUT ROWID;

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
`;

export const TRIGGERS = `
  CREATE FUNCTION audit_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$;
  CREATE TRIGGER audit_is_not_edited BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION audit_append_only();
  CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_append_only();
  CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON audit EXECUTE FUNCTION audit_append_only();

  CREATE FUNCTION count_output() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' THEN
        UPDATE accounts SET output_bytes = output_bytes + new.output_bytes - old.output_bytes WHERE id = new.account_id;
      ELSE
        UPDATE accounts SET output_bytes = output_bytes - old.output_bytes WHERE id = old.account_id;
      END IF;
      RETURN NULL;
    END $$;
  CREATE TRIGGER output_changed AFTER UPDATE OF output_bytes ON jobs
    FOR EACH ROW WHEN (new.output_bytes <> old.output_bytes) EXECUTE FUNCTION count_output();
  CREATE TRIGGER output_gone AFTER DELETE ON jobs
    FOR EACH ROW WHEN (old.output_bytes > 0) EXECUTE FUNCTION count_output();
`;
