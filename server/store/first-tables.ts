// The first migration (migrations.ts): the tables of the first version. Released, so it is never edited.

export const FIRST_TABLES = `
  CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY,
    email TEXT NOT NULL,
    max_devices INTEGER NOT NULL,
    num_devices INTEGER NOT NULL DEFAULT 0,   -- counted at each addition and deletion, and anew at each start
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
    folder TEXT NOT NULL DEFAULT '',          -- of a tar.gz: where its update.sh is, '' for the root
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
    command TEXT NOT NULL DEFAULT '',         -- '' for a child that no agent has yet: its parent has it
    journal TEXT,                             -- the data folder of the agent that was given it
    status TEXT NOT NULL
      CHECK (status IN ('Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled', 'Interrupted')),
    created INTEGER NOT NULL,
    started INTEGER,
    ended INTEGER,
    exit_code INTEGER,
    reason TEXT NOT NULL DEFAULT '',          -- why it ended as it did, where the exit code is not enough
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
  `;
