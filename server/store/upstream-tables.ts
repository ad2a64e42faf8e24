// The tables that a gateway once had for rollouts of its own, and the migration that drops them. Released migrations are
// never edited.
import { ROLLOUT_TABLES } from './rollout-tables.ts';

export const UPSTREAM_ROLLOUT_TABLES = `
  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    upstream TEXT NOT NULL,
    email TEXT NOT NULL,
    UNIQUE (upstream, email)
  ) STRICT;
  CREATE TABLE devices (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    state_online INTEGER NOT NULL,
    state_time INTEGER NOT NULL,              -- since when, as far as it was seen
    UNIQUE (account_id, id)
  ) STRICT;
  CREATE TABLE jobs (                         -- the parent is a wave, and known only here
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT,                                  -- the service's; NULL until it has answered
    account_id INTEGER NOT NULL REFERENCES accounts,
    parent_seq INTEGER REFERENCES jobs ON DELETE CASCADE,
    device_seq INTEGER REFERENCES devices ON DELETE SET NULL,
    device_id TEXT NOT NULL,
    name TEXT NOT NULL,                       -- of a device's job: unlike that of any other job
    payload TEXT NOT NULL,                    -- JSON: ArtifactId or WorkflowId
    status TEXT NOT NULL,
    verdict TEXT,
    verdict_because TEXT,
    reason TEXT,
    attempt INTEGER NOT NULL DEFAULT 1,
    superseded INTEGER NOT NULL DEFAULT 0,
    ended INTEGER,
    sent INTEGER,                             -- written before it is sent
    cancel INTEGER NOT NULL DEFAULT 0,        -- 1: to be deleted, if it has not begun
    asked INTEGER NOT NULL DEFAULT 0,         -- 1: a person was asked whether the service has it
    UNIQUE (account_id, id)
  ) STRICT;
  CREATE INDEX jobs_of_parent ON jobs (parent_seq, device_seq);
  CREATE INDEX jobs_of_device ON jobs (device_seq);
  CREATE INDEX jobs_open ON jobs (seq) WHERE status IN ('Waiting', 'Running');
  CREATE TABLE to_judge (                     -- nothing is judged here
    job_seq INTEGER PRIMARY KEY
  ) STRICT;
  CREATE TABLE orders (
    account_id INTEGER NOT NULL REFERENCES accounts,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    made TEXT NOT NULL,
    created INTEGER NOT NULL,
    PRIMARY KEY (account_id, key)
  ) STRICT, WITHOUT ROWID;
  ${ROLLOUT_TABLES}`;

export const DROP_UPSTREAM_ROLLOUTS = `
  DROP TABLE rollout_steps;
  DROP TABLE rollout_waves;
  DROP TABLE rollout_devices;
  DROP TABLE rollouts;
  DROP TABLE to_judge;
  DROP TABLE orders;
  DROP TABLE jobs;
  DROP TABLE devices;
  DROP TABLE accounts;
`;
