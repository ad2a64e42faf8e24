// All tables of the service, by resource, with their indexes and triggers. A new database is created from this;
// upgrades.ts brings an older one to the same state. To change a table, change it here and add an upgrade:
// upgrades.test.ts compares the two.
//
// Times are milliseconds since the epoch in UTC; open-times.ts says which of them are shifted when the clock is set. A
// `seq` is a number in order of creation that is never reused; an `id` is what the API shows. reported-changes.ts says
// which changes of a table are reported to clients.
import { jobStateTriggers } from './job-states.ts';
import { reportTriggers } from './reported-changes.ts';
import { forbid, trigger } from './schema-text.ts';
import type { Definition } from './schema-text.ts';

// ---- The service itself ----------------------------------------------------------------------------------------------

const service: Definition[] = [
  // Single values: keys, the identity of the service, progress of background work.
  'CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;',

  // Several services ("nodes") may share a PostgreSQL database. A node renews its row while it lives.
  `CREATE TABLE nodes (
    id TEXT PRIMARY KEY,
    url TEXT NOT NULL,                        -- where the others reach it
    secret_proof TEXT NOT NULL,               -- equal on all nodes that have the same secret
    expires INTEGER NOT NULL                  -- by the database's clock
  ) STRICT, WITHOUT ROWID;`,

  // Work that only one node at a time does, for all nodes.
  'CREATE TABLE leases (name TEXT PRIMARY KEY, node TEXT NOT NULL, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;',

  // A version changes with every write to the table of this name, or whenever the name is bumped: nodes compare their
  // in-memory copies with it.
  'CREATE TABLE versions (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;',

  // The change log for clients that follow along: the triggers of reported-changes.ts write it, changes.ts reads it.
  `CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,    -- in the order of commits
    account_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    what TEXT NOT NULL CHECK (what IN ('added', 'changed', 'removed')),
    object INTEGER NOT NULL DEFAULT 0,        -- seq of the device or job
    parent INTEGER,                           -- seq of a child's parent
    id TEXT NOT NULL DEFAULT '',
    mark INTEGER NOT NULL DEFAULT 0,          -- random, to recognize an entry: see changes.ts
    grp TEXT,                                 -- of what belongs to a device: its group
    grp_before TEXT                           -- the group that a device was moved from
  ) STRICT;`,
  {
    // Only PostgreSQL can be restored under a running service, so SQLite needs no marks.
    postgres: `ALTER TABLE changes ALTER COLUMN mark
      SET DEFAULT CAST(floor(random() * ${Number.MAX_SAFE_INTEGER}) AS BIGINT);`,
  },
];

// ---- Accounts, and how people and programs sign in -------------------------------------------------------------------

const accounts: Definition[] = [
  `CREATE TABLE accounts (
    id INTEGER PRIMARY KEY,
    email TEXT NOT NULL,
    name TEXT NOT NULL DEFAULT '',            -- '': it is shown by its email
    needs_otp INTEGER NOT NULL DEFAULT 0,     -- 1: everybody with a password needs a second factor
    rotation_days INTEGER NOT NULL DEFAULT 0, -- after how many days devices take new keys; 0: never
    max_devices INTEGER NOT NULL,
    num_devices INTEGER NOT NULL DEFAULT 0,   -- updated with each device, and counted again at each start
    artifact_limit INTEGER NOT NULL,          -- in bytes
    output_bytes INTEGER NOT NULL DEFAULT 0,  -- stored output of all its jobs, kept by triggers on jobs
    created INTEGER NOT NULL,
    removed INTEGER                           -- when the operator removed it; everything in it is then deleted
  ) STRICT;`,

  // People. A role is limited to the groups that it names; without any it covers all of them. Removed people keep a row
  // with nothing but their name, because the audit log names who did what.
  `CREATE TABLE people (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL UNIQUE,        -- an address belongs to one person on the whole service
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    groups_json TEXT NOT NULL DEFAULT '[]',
    state TEXT NOT NULL CHECK (state IN ('Invited', 'Active', 'Disabled', 'Removed')),
    source TEXT NOT NULL DEFAULT 'password' CHECK (source IN ('password', 'oidc')),
    password TEXT NOT NULL DEFAULT '',        -- argon2id, in the PHC string format; '': none
    otp_secret BLOB,                          -- sealed
    otp_step INTEGER NOT NULL DEFAULT 0,      -- the last time step whose code was used
    recovery_json TEXT NOT NULL DEFAULT '[]', -- hashes of unused recovery codes
    issuer TEXT,                              -- the identity at a provider
    subject TEXT,
    role_source TEXT NOT NULL DEFAULT '',     -- who or what gave the role: an actor, or a claim of the provider
    created INTEGER NOT NULL,
    last_seen INTEGER,
    UNIQUE (issuer, subject)
  ) STRICT;`,
  'CREATE INDEX people_of_account ON people (account_id, seq);',

  // Single-use links for people: invitations and password resets. A person has at most one of each.
  `CREATE TABLE person_codes (
    hash BLOB PRIMARY KEY,
    person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    purpose TEXT NOT NULL CHECK (purpose IN ('invite', 'reset')),
    expires INTEGER NOT NULL,
    UNIQUE (person_id, purpose)
  ) STRICT, WITHOUT ROWID;`,

  // API tokens. Revoked tokens keep their rows, so that a revoked AUTH_TOKEN does not become valid again at the next
  // start.
  `CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,                     -- the first characters of the secret: enough to recognize it
    hash BLOB NOT NULL UNIQUE,
    source TEXT NOT NULL CHECK (source IN ('env', 'made')),
    created INTEGER NOT NULL,
    last_used INTEGER,
    revoked INTEGER,
    person_id TEXT REFERENCES people (id) ON DELETE CASCADE, -- whose token it is; NULL: the account's
    role TEXT NOT NULL DEFAULT 'Admin',       -- never more than what its person has
    groups_json TEXT NOT NULL DEFAULT '[]',
    expires INTEGER,
    last_used_from TEXT NOT NULL DEFAULT ''   -- an address
  ) STRICT;`,
  'CREATE INDEX tokens_of_account ON tokens (account_id);',
  'CREATE INDEX tokens_of_person ON tokens (person_id) WHERE person_id IS NOT NULL;',

  // Browsers that are signed in. The secret is replaced regularly; the previous one is accepted for a moment.
  `CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    token_id TEXT REFERENCES tokens, -- that it was opened with
    hash BLOB NOT NULL UNIQUE,
    previous_hash BLOB UNIQUE,
    rotated INTEGER NOT NULL,
    address TEXT NOT NULL DEFAULT '',         -- where it was last used from
    created INTEGER NOT NULL,
    last_used INTEGER NOT NULL,
    person_id TEXT REFERENCES people (id) ON DELETE CASCADE, -- NULL: signed in with a token of the account
    how TEXT NOT NULL DEFAULT '',             -- 'link', 'token', 'password' or 'oidc'
    ends INTEGER,                             -- at the latest, if that is sooner than usual
    id_token BLOB                             -- sealed; of the identity provider, for signing out there
  ) STRICT;`,
  'CREATE INDEX sessions_of_token ON sessions (token_id);',
  'CREATE INDEX sessions_of_person ON sessions (person_id) WHERE person_id IS NOT NULL;',

  // One-time sign-in links that the service prints.
  `CREATE TABLE signin_codes (
    hash BLOB PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    expires INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;`,

  // Requests of the last day with an Idempotency-Key, so that a repeated request takes effect once.
  `CREATE TABLE idempotency_keys (
    account_id INTEGER NOT NULL REFERENCES accounts,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,                     -- of the request: the same key with another one is refused
    result_id TEXT NOT NULL,                  -- id of what the request created
    created INTEGER NOT NULL,
    PRIMARY KEY (account_id, key)
  ) STRICT, WITHOUT ROWID;`,
  'CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created);',

  // What an account used: the last reading of each day.
  `CREATE TABLE usage_days (
    account_id INTEGER NOT NULL REFERENCES accounts,
    day INTEGER NOT NULL,                     -- days since the epoch, in UTC
    devices INTEGER NOT NULL,
    artifact_bytes INTEGER NOT NULL,
    output_bytes INTEGER NOT NULL,
    PRIMARY KEY (account_id, day)
  ) STRICT, WITHOUT ROWID;`,

  // Saved views of the device list.
  `CREATE TABLE views (
    account_id INTEGER NOT NULL REFERENCES accounts,
    owner TEXT NOT NULL,                      -- the only one who sees it; '': everybody does
    folded TEXT NOT NULL,                     -- the name without letter case
    name TEXT NOT NULL,
    query TEXT NOT NULL,
    changed_by TEXT NOT NULL,
    changed INTEGER NOT NULL,
    made_by TEXT NOT NULL DEFAULT '',         -- who may change it although it is shared
    PRIMARY KEY (account_id, owner, folded)
  ) STRICT, WITHOUT ROWID;`,
];

// ---- The audit log ---------------------------------------------------------------------------------------------------

const APPEND_ONLY = 'the audit log is append-only';

const audit: Definition[] = [
  `CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    account_id INTEGER,
    actor TEXT NOT NULL,
    address TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    outcome TEXT NOT NULL,
    bulk_id TEXT NOT NULL DEFAULT '',         -- the bulk action that it belongs to
    removed_name TEXT NOT NULL DEFAULT ''     -- the name that the removed object had
  ) STRICT;`,
  'CREATE INDEX audit_of_actor ON audit (actor, seq);',
  'CREATE INDEX audit_of_action ON audit (action, seq);',
  'CREATE INDEX audit_of_time ON audit (at);',
  // Entries by kind, such as `device` for `device.update`; the expression must match `Dialect.before`.
  {
    sqlite: `CREATE INDEX audit_of_kind ON audit (substr(action, 1, instr(action, '.') - 1), seq);`,
    postgres: `CREATE INDEX audit_of_kind ON audit (split_part(action, '.', 1), seq);`,
  },
  // Agents download artifacts all the time; this index finds what people did without reading all of those entries.
  "CREATE INDEX audit_by_people ON audit (seq) WHERE NOT (actor >= 'device:' AND actor < 'device;');",
  // Removed objects, by their names in memory and by their ids.
  "CREATE INDEX audit_of_removed ON audit (account_id, seq) WHERE removed_name <> '';",
  "CREATE INDEX audit_removed_names ON audit (target) WHERE removed_name <> '';",
  // Entries are never changed or deleted.
  forbid('audit_is_not_edited', 'UPDATE ON audit', APPEND_ONLY),
  forbid('audit_is_not_cut', 'DELETE ON audit', APPEND_ONLY),
  {
    name: 'audit_is_not_emptied',
    postgres: { on: 'BEFORE TRUNCATE ON audit', body: `RAISE EXCEPTION '${APPEND_ONLY}';` },
  },

  // The hash of each entry covers that of the previous entry. Hashes are written after the entries, so that no write
  // waits for them.
  'CREATE TABLE audit_hashes (audit_seq INTEGER PRIMARY KEY, hash TEXT NOT NULL) STRICT;',

  // Each id in the target of an entry, to find the entries of one object.
  `CREATE TABLE audit_objects (
    object TEXT NOT NULL,
    audit_seq INTEGER NOT NULL,
    PRIMARY KEY (object, audit_seq)
  ) STRICT, WITHOUT ROWID;`,
];

// ---- Devices ---------------------------------------------------------------------------------------------------------

const devices: Definition[] = [
  `CREATE TABLE devices (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,                -- without letter case: lower() of SQLite knows ASCII only
    grp TEXT NOT NULL,                        -- its group
    customer TEXT NOT NULL DEFAULT '',
    site TEXT NOT NULL DEFAULT '',
    lat REAL NOT NULL DEFAULT 0,
    lng REAL NOT NULL DEFAULT 0,
    key_hash BLOB NOT NULL UNIQUE,
    key_since INTEGER NOT NULL DEFAULT 0,
    rotation_asked INTEGER,                   -- since when it is to take a new key
    next_key_hash BLOB,                       -- of the key that it was sent and has not used yet
    next_key_sent INTEGER,
    key_fixed TEXT NOT NULL DEFAULT '',       -- why its agent cannot take a new key
    rotation_problem TEXT NOT NULL DEFAULT '', -- why it did not take the last one
    created INTEGER NOT NULL,

    online INTEGER NOT NULL DEFAULT 0,        -- its agent is connected
    last_seen INTEGER,
    session INTEGER NOT NULL DEFAULT 0,       -- raised by each connection and each new key: only messages of the last count
    node TEXT NOT NULL DEFAULT '',            -- that its agent connected to last
    state_online INTEGER NOT NULL DEFAULT 0,  -- as the history has it: a short absence does not count
    state_time INTEGER NOT NULL DEFAULT 0,    -- since when

    local_addr TEXT NOT NULL DEFAULT '',      -- what its agent said of itself
    local_port TEXT NOT NULL DEFAULT '',
    agent_version TEXT NOT NULL DEFAULT '',
    os TEXT NOT NULL DEFAULT '',
    arch TEXT NOT NULL DEFAULT '',
    hostname TEXT NOT NULL DEFAULT '',
    agent_update TEXT NOT NULL DEFAULT '',    -- whether the agent can update itself
    agent_problem TEXT NOT NULL DEFAULT '',   -- TooOld, TooNew or UpdateFailed
    agent_problem_text TEXT NOT NULL DEFAULT '',
    agent_problem_time INTEGER,
    update_asked TEXT NOT NULL DEFAULT '',    -- SHA-256 of the program that its agent should get
    tunnels_allowed TEXT NOT NULL DEFAULT ''  -- the destinations that its agent lets the service ask for
  ) STRICT;`,
  'CREATE INDEX devices_of_account ON devices (account_id, seq);',
  'CREATE INDEX devices_of_group ON devices (account_id, grp, seq);',
  'CREATE INDEX devices_online ON devices (account_id, seq) WHERE online = 1;',
  'CREATE INDEX devices_of_node ON devices (node) WHERE online = 1;',
  'CREATE INDEX devices_to_settle ON devices (seq) WHERE online = 0 AND state_online = 1;',
  'CREATE UNIQUE INDEX devices_by_next_hash ON devices (next_key_hash) WHERE next_key_hash IS NOT NULL;',
  'CREATE INDEX devices_sent_keys ON devices (next_key_sent) WHERE next_key_sent IS NOT NULL;',
  'CREATE INDEX devices_by_age_of_keys ON devices (account_id, key_since) WHERE rotation_asked IS NULL;',
  'CREATE INDEX devices_away ON devices (account_id, state_time) WHERE state_online = 0;',

  `CREATE TABLE tags (
    id TEXT PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    created INTEGER NOT NULL,
    UNIQUE (account_id, name)
  ) STRICT;`,
  `CREATE TABLE device_tags (
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    tag_id TEXT NOT NULL REFERENCES tags ON DELETE CASCADE,
    PRIMARY KEY (device_seq, tag_id)
  ) STRICT, WITHOUT ROWID;`,
  'CREATE INDEX devices_of_tag ON device_tags (tag_id, device_seq);',

  // What people wrote about a device.
  `CREATE TABLE notes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    text TEXT NOT NULL
  ) STRICT;`,
  'CREATE INDEX notes_of_device ON notes (device_seq, at);',

  // Keys with which devices join by themselves, the machines that did, and what those asked for.
  `CREATE TABLE enrolment_keys (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,                     -- the first characters of the secret: enough to recognize it
    hash BLOB NOT NULL UNIQUE,
    grp TEXT NOT NULL,                        -- what its devices get: group, customer, site, names of tags
    customer TEXT NOT NULL,
    site TEXT NOT NULL,
    tags_json TEXT NOT NULL,
    max_uses INTEGER NOT NULL,                -- 0: no limit
    uses INTEGER NOT NULL DEFAULT 0,
    expires INTEGER,
    needs_approval INTEGER NOT NULL,
    created INTEGER NOT NULL,
    last_used INTEGER,
    allow_tunnels INTEGER                     -- whether its command was to allow tunnels; NULL: not said
  ) STRICT;`,
  'CREATE INDEX enrolment_keys_of_account ON enrolment_keys (account_id, seq);',
  `CREATE TABLE enrolled_machines (
    account_id INTEGER NOT NULL,
    machine BLOB NOT NULL,                    -- hash of its fingerprint
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
    secret_hash BLOB NOT NULL,                -- of the secret that the device chose; empty: it has none
    state TEXT NOT NULL CHECK (state IN ('Waiting', 'Rejected', 'Approved', 'Answered')),
    because TEXT NOT NULL,
    name TEXT NOT NULL,
    grp TEXT NOT NULL,
    facts_json TEXT NOT NULL,
    address TEXT NOT NULL,
    first_asked INTEGER NOT NULL,
    last_asked INTEGER NOT NULL,
    device_seq INTEGER REFERENCES devices ON DELETE CASCADE, -- that it is, or becomes
    answer BLOB,                              -- the key of the device, sealed with the device's secret
    session INTEGER NOT NULL DEFAULT 0,       -- of the device when it was answered: a later one means that the key was used
    UNIQUE (account_id, machine, secret_hash)
  ) STRICT;`,
  "CREATE INDEX enrolments_pending ON enrolments (account_id, seq) WHERE state IN ('Waiting', 'Rejected');",
  'CREATE INDEX enrolments_by_key_seq ON enrolments (key_seq);',
  'CREATE INDEX enrolments_of_device ON enrolments (device_seq) WHERE device_seq IS NOT NULL;',

  // Devices that show a code, which a person types to make them devices of an account.
  `CREATE TABLE pairings (
    id TEXT PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,                -- typed by a person
    machine BLOB NOT NULL,                    -- hash of its fingerprint
    secret_hash BLOB NOT NULL,                -- of the secret that the device chose
    name TEXT NOT NULL,
    expires INTEGER NOT NULL,
    device_seq INTEGER REFERENCES devices ON DELETE CASCADE, -- that it has become
    answer BLOB,                              -- as in enrolments
    session INTEGER NOT NULL DEFAULT 0
  ) STRICT;`,
  'CREATE INDEX pairings_by_age ON pairings (expires);',
  'CREATE INDEX pairings_of_machine ON pairings (machine);',
  'CREATE INDEX pairings_of_device ON pairings (device_seq) WHERE device_seq IS NOT NULL;',

  // Facts: what agents report about the machine they run on. Names and values are removed with the last device that has
  // them.
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
    name_seq INTEGER NOT NULL,                -- that of its value
    value_seq INTEGER NOT NULL REFERENCES fact_values,
    at INTEGER NOT NULL,                      -- since when it has this value
    PRIMARY KEY (device_seq, name_seq)
  ) STRICT, WITHOUT ROWID;`,
  'CREATE INDEX devices_of_fact ON device_facts (value_seq, device_seq);',
  trigger({
    name: 'forget_fact_value',
    on: 'DELETE ON device_facts',
    run: `DELETE FROM fact_values WHERE seq = old.value_seq
      AND NOT EXISTS (SELECT 1 FROM device_facts WHERE value_seq = old.value_seq)`,
  }),
  trigger({
    name: 'forget_fact_name',
    on: 'DELETE ON fact_values',
    run: `DELETE FROM fact_names WHERE seq = old.name_seq
      AND NOT EXISTS (SELECT 1 FROM fact_values WHERE name_seq = old.name_seq)`,
  }),
  // The last report of each device.
  `CREATE TABLE fact_reports (
    device_seq INTEGER PRIMARY KEY REFERENCES devices ON DELETE CASCADE,
    at INTEGER NOT NULL,
    digest TEXT NOT NULL,                     -- of the report: the same again changes nothing
    problems TEXT NOT NULL                    -- JSON: what was left out, and why
  ) STRICT;`,

  // The history of when each device was Online: see state-history.ts.
  `CREATE TABLE state_changes (
    at INTEGER NOT NULL,
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    cause INTEGER NOT NULL,
    online_before INTEGER,                    -- milliseconds that its device was Online before it; NULL: not counted yet
    number INTEGER,                           -- among the changes of its device
    PRIMARY KEY (at, device_seq)
  ) STRICT, WITHOUT ROWID;`,
  // With the cause, the strips of many devices are read from it alone.
  'CREATE INDEX state_changes_of_device ON state_changes (device_seq, at, cause);',

  // Times when the service was down, for which no device's state is known.
  `CREATE TABLE service_gaps (
    from_time INTEGER PRIMARY KEY,
    to_time INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;`,

  // The last state change whose totals (online_before, number) are counted, like those of all earlier ones.
  `CREATE TABLE state_totals (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    at INTEGER NOT NULL,
    device_seq INTEGER NOT NULL
  ) STRICT;`,
  // When a change is added or altered late, the totals after it are counted again.
  ...[
    { name: 'state_noted', on: 'INSERT ON state_changes', at: 'new.at' },
    { name: 'state_noted_again', on: 'UPDATE OF cause ON state_changes', at: 'new.at' },
    // The gap that starts at 0 precedes all records, so no total depends on it.
    { name: 'state_gap_noted', on: 'INSERT ON service_gaps', at: 'nullif(new.from_time, 0)' },
    { name: 'state_gap_changed', on: 'UPDATE ON service_gaps', at: 'nullif(new.from_time, 0)' },
  ].map(({ name, on, at }) =>
    trigger({ name, on, run: `UPDATE state_totals SET at = ${at}, device_seq = 0 WHERE at >= ${at}` }),
  ),
];

// ---- Tunnels ---------------------------------------------------------------------------------------------------------

const tunnels: Definition[] = [
  // A tunnel is identified by its device and destination: it keeps its name when the agent reconnects.
  `CREATE TABLE tunnels (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    protocol TEXT NOT NULL CHECK (protocol IN ('HTTP', 'TCP')),
    local_dest TEXT NOT NULL,
    port INTEGER,
    run TEXT NOT NULL DEFAULT '',             -- the agent's process that offered it last
    offered INTEGER NOT NULL DEFAULT 1,       -- 0: that process offers it no longer
    login INTEGER NOT NULL DEFAULT 0,         -- 1: visitors need a user and password
    login_proof TEXT NOT NULL DEFAULT '',     -- lets another node check logins
    idle_seconds INTEGER,
    expires INTEGER,
    created INTEGER NOT NULL,
    connected INTEGER,
    connections INTEGER NOT NULL DEFAULT 0,   -- these three as its node last noted them
    bytes_in INTEGER NOT NULL DEFAULT 0,
    bytes_out INTEGER NOT NULL DEFAULT 0,
    requested INTEGER NOT NULL DEFAULT 0,     -- 1: a person opened it here; its agent only allows the destination
    login_hash TEXT NOT NULL DEFAULT '',      -- of a requested one: SHA-256 of "user:password", or '' without a login
    opened_by TEXT NOT NULL DEFAULT ''        -- the actor of a requested one, if that is known
  ) STRICT;`,
  'CREATE INDEX tunnels_of_account ON tunnels (account_id, seq);',
  'CREATE INDEX tunnels_of_device ON tunnels (device_seq);',
  'CREATE UNIQUE INDEX tunnels_by_destination ON tunnels (device_seq, protocol, local_dest, requested);',
  'CREATE INDEX tunnels_requested ON tunnels (device_seq) WHERE requested = 1;',
  'CREATE UNIQUE INDEX tunnels_by_port ON tunnels (port) WHERE port IS NOT NULL;',

  // A tunnel that a person closed stays closed for the process that offered it.
  `CREATE TABLE closed_tunnels (
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    protocol TEXT NOT NULL,
    local_dest TEXT NOT NULL,
    run TEXT NOT NULL,
    PRIMARY KEY (device_seq, protocol, local_dest)
  ) STRICT, WITHOUT ROWID;`,
];

// ---- What jobs run ---------------------------------------------------------------------------------------------------

const payloads: Definition[] = [
  // The bytes of artifacts are files in DATA_DIR or objects in an S3 store.
  `CREATE TABLE artifacts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    size_given INTEGER NOT NULL,              -- by the client, which the API shows
    size_bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    is_script INTEGER NOT NULL,
    destination TEXT NOT NULL DEFAULT '',
    run_command TEXT NOT NULL DEFAULT '',
    folder TEXT NOT NULL DEFAULT '',          -- of update.sh in a tar.gz; '': its root
    created INTEGER NOT NULL,
    unpacked_bytes INTEGER NOT NULL DEFAULT 0 -- of a tar.gz; 0: unknown
  ) STRICT;`,
  'CREATE INDEX artifacts_of_account ON artifacts (account_id, seq);',

  // Uploads that can be resumed. The rows stay for a day after the artifact is stored, for whoever missed the answer.
  `CREATE TABLE uploads (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    owner TEXT NOT NULL,                      -- the actor, who alone sees it
    metadata TEXT NOT NULL,                   -- as it was sent: the fields of the artifact
    length INTEGER NOT NULL,
    received INTEGER NOT NULL DEFAULT 0,
    pieces INTEGER NOT NULL DEFAULT 0,
    artifact_id TEXT,                         -- set when it is stored
    expires INTEGER NOT NULL                  -- 0: it has ended, and its bytes can be removed
  ) STRICT;`,
  'CREATE INDEX uploads_of_account ON uploads (account_id);',
  'CREATE INDEX uploads_by_age ON uploads (expires);',
  // The bytes of an upload are in pieces that never change, each under a name of its own.
  `CREATE TABLE upload_pieces (
    upload_seq INTEGER NOT NULL REFERENCES uploads ON DELETE CASCADE,
    start INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (upload_seq, start)
  ) STRICT, WITHOUT ROWID;`,

  `CREATE TABLE workflows (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    command TEXT NOT NULL,
    created INTEGER NOT NULL
  ) STRICT;`,
  'CREATE INDEX workflows_of_account ON workflows (account_id, seq);',

  // How the output of jobs decides whether they succeeded, by the name of the artifact or workflow that they run.
  `CREATE TABLE outcome_rules (
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    rules TEXT NOT NULL,                      -- JSON
    version INTEGER NOT NULL,
    changed_by TEXT NOT NULL,
    changed INTEGER NOT NULL,
    PRIMARY KEY (account_id, name)
  ) STRICT, WITHOUT ROWID;`,
];

// ---- Jobs ------------------------------------------------------------------------------------------------------------

const jobs: Definition[] = [
  // A single job runs on one device. A parent has a child for each of its devices. Single jobs and parents are "top"
  // jobs, which lists show.
  `CREATE TABLE jobs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,    -- in order of submission, which is the order of execution
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
    artifact_version TEXT,                    -- of top jobs; kept here because the artifact may be deleted before the job ends
    workflow_id TEXT,
    command TEXT NOT NULL DEFAULT '',         -- '' for a child that no agent has yet: its parent has it
    rule_name TEXT,                           -- of top jobs: the name of their outcome rules
    journal TEXT,                             -- the data folder of the agent that got it

    status TEXT NOT NULL
      CHECK (status IN ('Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled', 'Interrupted')),
    created INTEGER NOT NULL,
    started INTEGER,
    ended INTEGER,
    stop_asked INTEGER,                       -- when somebody stopped it; it runs until its agent says that it does not
    exit_code INTEGER,
    reason TEXT NOT NULL DEFAULT '',          -- why it ended as it did, where the exit code is not enough
    result TEXT NOT NULL DEFAULT '',          -- the beginning of its output; of a parent, its summary

    attempt INTEGER NOT NULL DEFAULT 1,       -- of a parent: the highest of its children
    superseded INTEGER NOT NULL DEFAULT 0,    -- 1: a later attempt on its device counts instead
    verdict TEXT,                             -- by its outcome rules; NULL: its status counts
    verdict_because TEXT NOT NULL DEFAULT '',
    verdict_stream TEXT,
    verdict_line INTEGER,
    judged INTEGER NOT NULL DEFAULT 0,        -- of a parent: how often the verdict of a child changed

    output_bytes INTEGER NOT NULL DEFAULT 0,  -- stored of its output, once it has ended
    output_removed INTEGER,                   -- when its output was removed to free space
    output_removed_why TEXT NOT NULL DEFAULT '',
    archived INTEGER                          -- when; only of top jobs that have ended, with their children
  ) STRICT;`,
  // Lists of top jobs: by account, archive, group, tag, artifact, and last state change.
  'CREATE INDEX jobs_top ON jobs (account_id, seq) WHERE parent_seq IS NULL AND archived IS NULL;',
  'CREATE INDEX jobs_archived ON jobs (account_id, archived, seq) WHERE archived IS NOT NULL;',
  'CREATE INDEX jobs_of_account ON jobs (account_id, seq, name) WHERE parent_seq IS NULL;', // A search for names reads it alone.
  'CREATE INDEX jobs_in_archive ON jobs (account_id, seq) WHERE parent_seq IS NULL AND archived IS NOT NULL;',
  'CREATE INDEX jobs_of_group ON jobs (account_id, device_group, seq) WHERE parent_seq IS NULL AND device_group IS NOT NULL;',
  'CREATE INDEX jobs_of_tag ON jobs (account_id, tag_id, seq) WHERE parent_seq IS NULL AND tag_id IS NOT NULL;',
  'CREATE INDEX jobs_of_artifact ON jobs (account_id, artifact_id, seq) WHERE parent_seq IS NULL AND artifact_id IS NOT NULL;',
  'CREATE INDEX jobs_by_move ON jobs (account_id, (coalesce(ended, started, created))) WHERE parent_seq IS NULL;',
  // Children of a parent: all, waiting, current and superseded ones.
  'CREATE INDEX jobs_of_parent ON jobs (parent_seq, seq) WHERE parent_seq IS NOT NULL;',
  "CREATE INDEX jobs_waiting_of_parent ON jobs (parent_seq, device_seq) WHERE status = 'Waiting' AND parent_seq IS NOT NULL;",
  'CREATE INDEX jobs_current ON jobs (parent_seq, device_seq) WHERE superseded = 0 AND parent_seq IS NOT NULL;',
  'CREATE INDEX jobs_superseded ON jobs (parent_seq, device_seq) WHERE superseded = 1;',
  `CREATE INDEX jobs_shifted ON jobs (parent_seq, status, verdict)
    WHERE verdict IS NOT NULL AND verdict <> status AND superseded = 0;`,
  // The queue of a device. The few running jobs are counted for /metrics and after a crash.
  'CREATE INDEX jobs_of_device ON jobs (device_seq, seq, parent_seq) WHERE device_seq IS NOT NULL;',
  "CREATE INDEX jobs_unfinished ON jobs (device_seq, seq) WHERE device_seq IS NOT NULL AND status IN ('Waiting', 'Running');",
  "CREATE INDEX jobs_running ON jobs (device_seq) WHERE device_seq IS NOT NULL AND status = 'Running';",
  "CREATE INDEX jobs_waiting_for ON jobs (artifact_id) WHERE status = 'Waiting' AND artifact_id IS NOT NULL;",
  // Outcome rules: the jobs that they apply to.
  'CREATE INDEX jobs_unnamed ON jobs (seq) WHERE rule_name IS NULL AND parent_seq IS NULL;',
  'CREATE INDEX jobs_of_rules ON jobs (account_id, rule_name) WHERE parent_seq IS NULL;',
  // How many ended in each hour, from the index alone.
  'CREATE INDEX jobs_ended ON jobs (account_id, ended, device_seq, status, verdict) WHERE device_seq IS NOT NULL AND ended IS NOT NULL;',
  // Decides whose output is removed first, from the index alone.
  'CREATE INDEX jobs_with_output ON jobs (account_id, ended, seq, output_bytes, parent_seq, archived) WHERE output_bytes > 0;',
  'CREATE INDEX jobs_output_of_parent ON jobs (parent_seq, seq, output_bytes) WHERE output_bytes > 0 AND parent_seq IS NOT NULL;',
  trigger({
    name: 'output_changed',
    on: 'UPDATE OF output_bytes ON jobs',
    when: 'new.output_bytes <> old.output_bytes',
    run: 'UPDATE accounts SET output_bytes = output_bytes + new.output_bytes - old.output_bytes WHERE id = new.account_id',
  }),
  trigger({
    name: 'output_gone',
    on: 'DELETE ON jobs',
    when: 'old.output_bytes > 0',
    run: 'UPDATE accounts SET output_bytes = output_bytes - old.output_bytes WHERE id = old.account_id',
  }),

  // How many children of a parent are in each state.
  `CREATE TABLE job_counts (
    job_seq INTEGER PRIMARY KEY REFERENCES jobs ON DELETE CASCADE,
    waiting INTEGER NOT NULL DEFAULT 0,
    running INTEGER NOT NULL DEFAULT 0,
    succeeded INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    cancelled INTEGER NOT NULL DEFAULT 0,
    interrupted INTEGER NOT NULL DEFAULT 0
  ) STRICT;`,

  // The states under which the list of jobs shows a top job: its own, and those of its children.
  `CREATE TABLE job_states (
    account_id INTEGER NOT NULL,
    archived INTEGER NOT NULL,                -- 1: it is in the archive
    state TEXT NOT NULL,                      -- a status, or a verdict of the outcome rules
    job_seq INTEGER NOT NULL,                 -- no reference: triggers maintain the table
    PRIMARY KEY (account_id, archived, state, job_seq)
  ) STRICT, WITHOUT ROWID;`,
  ...jobStateTriggers(),

  // Output in pieces, each at its offset in the stream.
  `CREATE TABLE job_output (
    job_seq INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,
    stream INTEGER NOT NULL CHECK (stream IN (1, 2)),   -- 1 stdout, 2 stderr
    "offset" INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (job_seq, stream, "offset")
  ) STRICT, WITHOUT ROWID;`,
  // Output is read in part and appended to, which compression would make slow.
  { postgres: 'ALTER TABLE job_output ALTER COLUMN bytes SET STORAGE EXTERNAL;' },

  // The order in which the two streams arrived: each row is a run of bytes of one stream. See output-order.ts.
  `CREATE TABLE output_runs (
    job_seq INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,
    number INTEGER NOT NULL,
    stream INTEGER NOT NULL CHECK (stream IN (1, 2)),   -- 1 stdout, 2 stderr
    stdout INTEGER NOT NULL,                  -- bytes of each stream before this run
    stderr INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (job_seq, number)
  ) STRICT, WITHOUT ROWID;`,

  // Jobs that have ended and whose outcome rules have not been applied to their output yet.
  'CREATE TABLE to_judge (job_seq INTEGER PRIMARY KEY REFERENCES jobs ON DELETE CASCADE) STRICT;',
  trigger({
    name: 'judge_ended_job',
    on: 'UPDATE OF ended ON jobs',
    when: "new.ended IS NOT NULL AND new.device_seq IS NOT NULL AND new.status <> 'Cancelled'",
    run: `INSERT INTO to_judge (job_seq) SELECT new.seq FROM outcome_rules
      WHERE account_id = new.account_id
        AND name = (SELECT rule_name FROM jobs WHERE seq = coalesce(new.parent_seq, new.seq)) ON CONFLICT DO NOTHING`,
  }),

  // Which version runs on which device: the last success of each artifact on each device.
  `CREATE TABLE device_versions (
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    artifact_name TEXT NOT NULL,              -- as in outcome_rules
    account_id INTEGER NOT NULL REFERENCES accounts,
    version TEXT NOT NULL,
    at INTEGER NOT NULL,
    job_seq INTEGER NOT NULL,                 -- no reference: it outlives its job
    job_id TEXT NOT NULL,
    PRIMARY KEY (device_seq, artifact_name)
  ) STRICT, WITHOUT ROWID;`,
  'CREATE INDEX device_versions_of_artifact ON device_versions (account_id, artifact_name, device_seq, version);',
];

// ---- Work on many devices or jobs ------------------------------------------------------------------------------------

const bulk: Definition[] = [
  // A bulk action, which processes its items one after the other: see bulk-runner.ts.
  `CREATE TABLE bulk (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    action TEXT NOT NULL,
    of_what TEXT NOT NULL CHECK (of_what IN ('Devices', 'Jobs')),
    settings TEXT NOT NULL,                   -- JSON
    actor TEXT NOT NULL,
    address TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('Running', 'Done', 'Cancelled')),
    next INTEGER NOT NULL DEFAULT 0,          -- items before this one have their outcome
    total INTEGER NOT NULL,
    done INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    skipped INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL,
    ended INTEGER,
    credential TEXT NOT NULL DEFAULT '',      -- the token or session of whoever asked for it
    role TEXT NOT NULL DEFAULT 'Admin',       -- what that gave then: it goes on only while they have at least that
    groups_json TEXT NOT NULL DEFAULT '[]'
  ) STRICT;`,
  'CREATE INDEX bulk_of_account ON bulk (account_id, seq);',
  "CREATE INDEX bulk_running ON bulk (seq) WHERE state = 'Running';",
  `CREATE TABLE bulk_items (
    bulk_seq INTEGER NOT NULL REFERENCES bulk ON DELETE CASCADE,
    number INTEGER NOT NULL,
    object TEXT NOT NULL,                     -- id of the device or job
    name TEXT NOT NULL DEFAULT '',
    outcome TEXT NOT NULL DEFAULT 'Left' CHECK (outcome IN ('Done', 'Failed', 'Skipped', 'Left')),
    because TEXT NOT NULL DEFAULT '',
    draft TEXT,                               -- of create: the device as JSON, with the hash of its key
    earlier TEXT,                             -- of a changed device, as JSON: each field's value before and after
    PRIMARY KEY (bulk_seq, number)
  ) STRICT, WITHOUT ROWID;`,
  // Keys of created devices, sealed for the caller who requested them: see bulk-keys.ts.
  `CREATE TABLE bulk_keys (
    bulk_seq INTEGER PRIMARY KEY REFERENCES bulk ON DELETE CASCADE,
    owner TEXT NOT NULL,                      -- the actor
    sealed BLOB NOT NULL,
    previous_sealed BLOB                      -- with the value that the owner's session had before
  ) STRICT;`,
  'CREATE INDEX bulk_keys_of_owner ON bulk_keys (owner);',
];

const rollouts: Definition[] = [
  // A deployment in waves: each wave is a job, and a gate decides whether the next one starts.
  `CREATE TABLE rollouts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    settings TEXT NOT NULL,                   -- JSON, see rollouts.ts
    state TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,       -- raised by each step
    because TEXT NOT NULL DEFAULT '',
    wave INTEGER NOT NULL DEFAULT -1,         -- the last one that has started, from 0
    waves INTEGER NOT NULL,
    confirmed INTEGER NOT NULL DEFAULT 0,
    actor TEXT NOT NULL,                      -- who created or resumed it last
    address TEXT NOT NULL,
    credential TEXT NOT NULL DEFAULT '',      -- the token or session of the actor
    role TEXT NOT NULL DEFAULT 'Admin',       -- what the actor might do then: what it needs to go on
    groups_json TEXT NOT NULL DEFAULT '[]',
    created INTEGER NOT NULL,
    ended INTEGER,
    kept TEXT                                 -- JSON: counts of the outcomes by wave, once all devices have theirs
  ) STRICT;`,
  'CREATE INDEX rollouts_of_account ON rollouts (account_id, seq);',
  "CREATE INDEX rollouts_open ON rollouts (seq) WHERE state IN ('Scheduled', 'Running', 'Waiting');",
  'CREATE INDEX rollouts_to_keep ON rollouts (seq) WHERE kept IS NULL AND ended IS NOT NULL;',
  `CREATE TABLE rollout_devices (
    rollout_seq INTEGER NOT NULL REFERENCES rollouts ON DELETE CASCADE,
    device_id TEXT NOT NULL,                  -- stays when the device is deleted
    device_name TEXT NOT NULL,
    wave INTEGER NOT NULL,
    skipped INTEGER NOT NULL DEFAULT 0,
    outcome TEXT,                             -- the state that it kept, once the rollout has ended
    PRIMARY KEY (rollout_seq, device_id)
  ) STRICT, WITHOUT ROWID;`,
  'CREATE INDEX rollout_devices_by_wave ON rollout_devices (rollout_seq, wave, device_id);',
  // The waves that have started.
  `CREATE TABLE rollout_waves (
    rollout_seq INTEGER NOT NULL REFERENCES rollouts ON DELETE CASCADE,
    number INTEGER NOT NULL,
    job_seq INTEGER REFERENCES jobs ON DELETE SET NULL,
    started INTEGER NOT NULL DEFAULT 0,
    began INTEGER NOT NULL,                   -- from when its time limit counts
    passed INTEGER,
    verdict TEXT,                             -- JSON: its figures when it passed
    by_hand INTEGER NOT NULL DEFAULT 0,       -- 1: a person advanced it before its gate let it pass
    forgiven INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (rollout_seq, number)
  ) STRICT, WITHOUT ROWID;`,
  'CREATE INDEX rollout_waves_of_job ON rollout_waves (job_seq);',
  // Its history: what the service or a person did.
  `CREATE TABLE rollout_steps (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    rollout_seq INTEGER NOT NULL REFERENCES rollouts ON DELETE CASCADE,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,                      -- '': the service
    text TEXT NOT NULL,
    reason TEXT NOT NULL
  ) STRICT;`,
  'CREATE INDEX rollout_steps_of ON rollout_steps (rollout_seq, seq);',
];

const standingOrders: Definition[] = [
  // Which version of an artifact the devices of a group should have.
  `CREATE TABLE standing_orders (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES accounts,
    folded TEXT NOT NULL,                     -- the name without letter case
    name TEXT NOT NULL,
    grp TEXT NOT NULL,                        -- the group
    artifact_id TEXT NOT NULL,
    artifact_name TEXT NOT NULL,              -- as in device_versions; these two stay when the artifact is deleted
    artifact_version TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,       -- raised by each change
    actor TEXT NOT NULL,                      -- who changed it last: its jobs are theirs
    address TEXT NOT NULL,
    credential TEXT NOT NULL DEFAULT '',      -- the token or session of the actor
    role TEXT NOT NULL DEFAULT 'Admin',       -- what the actor might do then: what it needs to go on
    groups_json TEXT NOT NULL DEFAULT '[]',
    changed INTEGER NOT NULL,
    UNIQUE (account_id, folded)
  ) STRICT;`,
  // The devices that have had a job: an order deploys to a device once, and again only when a person retries it.
  `CREATE TABLE standing_order_devices (
    order_seq INTEGER NOT NULL REFERENCES standing_orders ON DELETE CASCADE,
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    job_seq INTEGER NOT NULL,                 -- the parent; no reference: this outlives the job
    PRIMARY KEY (order_seq, device_seq)
  ) STRICT, WITHOUT ROWID;`,
  'CREATE INDEX standing_orders_of_device ON standing_order_devices (device_seq);',
];

// ---- Alerts ----------------------------------------------------------------------------------------------------------

const alerts: Definition[] = [
  // Where alerts are sent.
  `CREATE TABLE alert_channels (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('webhook', 'email')),
    url TEXT NOT NULL DEFAULT '',
    format TEXT NOT NULL DEFAULT '',
    secret TEXT NOT NULL DEFAULT '',          -- signs requests, so a hash is not enough
    recipients TEXT NOT NULL DEFAULT '[]',    -- addresses, as JSON
    created INTEGER NOT NULL
  ) STRICT;`,
  'CREATE INDEX alert_channels_of_account ON alert_channels (account_id, seq);',

  // When alerts are sent, and about which devices.
  `CREATE TABLE alert_rules (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    event TEXT NOT NULL,
    grp TEXT NOT NULL DEFAULT '',             -- the group
    tag_id TEXT NOT NULL DEFAULT '',
    site TEXT NOT NULL DEFAULT '',
    for_minutes INTEGER NOT NULL,
    quiet_minutes INTEGER NOT NULL,
    percent INTEGER NOT NULL DEFAULT 90,      -- of a limit, for QuotaNear
    facts TEXT NOT NULL DEFAULT '{}',         -- JSON: values that its devices have
    silent_until INTEGER,
    silence_reason TEXT NOT NULL DEFAULT '',
    sent INTEGER,                             -- when its last message was decided
    firing INTEGER NOT NULL DEFAULT 0,        -- how many objects fire
    created INTEGER NOT NULL
  ) STRICT;`,
  'CREATE INDEX alert_rules_of_account ON alert_rules (account_id, event, seq);',
  `CREATE TABLE alert_rule_channels (
    rule_seq INTEGER NOT NULL REFERENCES alert_rules ON DELETE CASCADE,
    channel_seq INTEGER NOT NULL REFERENCES alert_channels ON DELETE CASCADE,
    PRIMARY KEY (rule_seq, channel_seq)
  ) STRICT, WITHOUT ROWID;`,
  'CREATE INDEX alert_rules_of_channel ON alert_rule_channels (channel_seq);',

  // What fires now: objects whose state has lasted for the rule's time.
  `CREATE TABLE alert_firing (
    rule_seq INTEGER NOT NULL REFERENCES alert_rules ON DELETE CASCADE,
    object INTEGER NOT NULL,                  -- seq of the device or tunnel, or which limit
    since INTEGER NOT NULL,
    noted INTEGER NOT NULL,                   -- 1: it is in a message, or in alert_events
    text TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (rule_seq, object)
  ) STRICT, WITHOUT ROWID;`,

  // What the next message of a rule will contain.
  `CREATE TABLE alert_events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    rule_seq INTEGER NOT NULL REFERENCES alert_rules ON DELETE CASCADE,
    object INTEGER NOT NULL DEFAULT 0,
    at INTEGER NOT NULL,                      -- when it was noticed
    since INTEGER NOT NULL,
    device_id TEXT NOT NULL DEFAULT '',
    device_name TEXT NOT NULL DEFAULT '',
    site TEXT NOT NULL DEFAULT '',
    text TEXT NOT NULL DEFAULT '',
    job_id TEXT NOT NULL DEFAULT '',
    rollout_id TEXT NOT NULL DEFAULT '',
    devices TEXT NOT NULL DEFAULT '[]'        -- of a job or rollout, as JSON
  ) STRICT;`,
  'CREATE INDEX alert_events_of_rule ON alert_events (rule_seq, seq);',

  // Ended top jobs that the alert rules have not been applied to yet. Rows are written in the transaction that ends a
  // job, so that none is missed or counted twice. All ended jobs are recorded, because the output may show a failure
  // that the exit code does not.
  `CREATE TABLE alert_jobs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    job_seq INTEGER NOT NULL
  ) STRICT;`,
  trigger({
    name: 'note_alert_job',
    on: 'UPDATE OF ended ON jobs',
    when: 'new.ended IS NOT NULL AND old.ended IS NULL AND new.parent_seq IS NULL',
    run: `INSERT INTO alert_jobs (job_seq) SELECT new.seq
      WHERE EXISTS (SELECT 1 FROM alert_rules WHERE account_id = new.account_id AND event = 'JobFailed')`,
  }),

  `CREATE TABLE alert_messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    at INTEGER NOT NULL,
    event TEXT NOT NULL,
    rule TEXT NOT NULL,
    text TEXT NOT NULL,
    devices TEXT NOT NULL,
    job_id TEXT NOT NULL DEFAULT '',
    rollout_id TEXT NOT NULL DEFAULT ''
  ) STRICT;`,
  'CREATE INDEX alert_messages_by_age ON alert_messages (at);',

  // The delivery of a message to one channel.
  `CREATE TABLE alert_deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    message_seq INTEGER NOT NULL REFERENCES alert_messages ON DELETE CASCADE,
    channel_seq INTEGER,                      -- no reference: a delivery outlives its channel
    channel TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('Waiting', 'Delivered', 'Failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    due INTEGER NOT NULL,                     -- when the next attempt is made
    until INTEGER NOT NULL,                   -- no attempt is made after it
    because TEXT NOT NULL DEFAULT '',
    last INTEGER                              -- when the last attempt was made
  ) STRICT;`,
  'CREATE INDEX alert_deliveries_of_account ON alert_deliveries (account_id, seq);',
  'CREATE INDEX alert_deliveries_of_message ON alert_deliveries (message_seq);',
  "CREATE INDEX alert_deliveries_due ON alert_deliveries (due) WHERE state = 'Waiting';",
];

/** Each table follows the tables that it refers to. */
export const SCHEMA: readonly Definition[] = [
  ...service,
  ...accounts,
  ...audit,
  ...devices,
  ...tunnels,
  ...payloads,
  ...jobs,
  ...bulk,
  ...rollouts,
  ...standingOrders,
  ...alerts,
  ...reportTriggers(),
];
