// The migrations that create the tables of rollouts. Released, so they are never edited.

export const ROLLOUT_TABLES = `
  CREATE TABLE rollouts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    settings TEXT NOT NULL,                   -- JSON, see rollouts.ts
    state TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,       -- raised by each step
    because TEXT NOT NULL DEFAULT '',
    wave INTEGER NOT NULL DEFAULT -1,         -- the last one that has begun, from 0
    waves INTEGER NOT NULL,
    confirmed INTEGER NOT NULL DEFAULT 0,
    actor TEXT NOT NULL,
    address TEXT NOT NULL,
    created INTEGER NOT NULL,
    ended INTEGER
  ) STRICT;
  CREATE INDEX rollouts_of_account ON rollouts (account_id, seq);
  CREATE INDEX rollouts_open ON rollouts (seq) WHERE state IN ('Scheduled', 'Running', 'Waiting');
  CREATE TABLE rollout_devices (
    rollout_seq INTEGER NOT NULL REFERENCES rollouts ON DELETE CASCADE,
    device_id TEXT NOT NULL,                  -- stays when the device is deleted
    device_name TEXT NOT NULL,
    wave INTEGER NOT NULL,
    skipped INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (rollout_seq, device_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX rollout_devices_by_wave ON rollout_devices (rollout_seq, wave, device_id);
  CREATE TABLE rollout_waves (                -- those that have begun
    rollout_seq INTEGER NOT NULL REFERENCES rollouts ON DELETE CASCADE,
    number INTEGER NOT NULL,
    job_seq INTEGER REFERENCES jobs ON DELETE SET NULL,
    began INTEGER NOT NULL,
    passed INTEGER,
    forgiven INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (rollout_seq, number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX rollout_waves_of_job ON rollout_waves (job_seq);
  CREATE TABLE rollout_steps (                -- what was done, by the service or a person
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    rollout_seq INTEGER NOT NULL REFERENCES rollouts ON DELETE CASCADE,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,                      -- '': the service
    text TEXT NOT NULL,
    reason TEXT NOT NULL
  ) STRICT;
  CREATE INDEX rollout_steps_of ON rollout_steps (rollout_seq, seq);
  `;

/** What the log of changes says of rollouts: see change-log-tables.ts. Each step raises the version. */
const LOGGED = [
  { what: 'added', on: 'INSERT', row: 'new' },
  { what: 'changed', on: 'UPDATE OF version', row: 'new' },
  { what: 'removed', on: 'DELETE', row: 'old' },
].map(({ what, on, row }) => ({
  name: `log_rollout_${what}`,
  on: `${on} ON rollouts`,
  entry: `INSERT INTO changes (account_id, kind, what, id) VALUES (${row}.account_id, 'rollout', '${what}', ${row}.id)`,
}));

export const ROLLOUT_TRIGGERS = {
  sqlite: LOGGED.map(({ name, on, entry }) => `CREATE TRIGGER ${name} AFTER ${on} BEGIN ${entry}; END;`).join('\n'),
  postgres: LOGGED.map(
    ({ name, on, entry }) => `
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${entry}; RETURN NULL; END $$;
      CREATE TRIGGER ${name} AFTER ${on} FOR EACH ROW EXECUTE FUNCTION ${name}();`,
  ).join('\n'),
};

export const ROLLOUT_OUTCOMES = `
  ALTER TABLE rollout_devices ADD COLUMN outcome TEXT;                -- the state that it kept, once the rollout ended
  ALTER TABLE rollouts ADD COLUMN kept TEXT;                          -- JSON: counts of these by wave, once all have one
  CREATE INDEX rollouts_to_keep ON rollouts (seq) WHERE kept IS NULL AND ended IS NOT NULL;
  `;

/** Of earlier waves the history tells: the service notes each one that passes in the transaction that ends it. */
export const WAVES_BY_HAND = `
  -- by_hand 1: a person ended it before its gate let it pass.
  ALTER TABLE rollout_waves ADD COLUMN by_hand INTEGER NOT NULL DEFAULT 0;
  UPDATE rollout_waves SET by_hand = 1 WHERE passed IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM rollout_steps s WHERE s.rollout_seq = rollout_waves.rollout_seq AND s.actor = ''
      AND s.text LIKE 'Wave ' || (rollout_waves.number + 1) || ' passed:%');
  `;
