// The migrations that create the tables of alerts. Released, so they are never edited.

export const ALERT_TABLES = `
  CREATE TABLE alert_channels (
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
  ) STRICT;
  CREATE INDEX alert_channels_of_account ON alert_channels (account_id, seq);

  CREATE TABLE alert_rules (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    event TEXT NOT NULL,
    grp TEXT NOT NULL DEFAULT '',
    tag_id TEXT NOT NULL DEFAULT '',
    site TEXT NOT NULL DEFAULT '',
    for_minutes INTEGER NOT NULL,
    quiet_minutes INTEGER NOT NULL,
    silent_until INTEGER,
    silence_reason TEXT NOT NULL DEFAULT '',
    sent INTEGER,                             -- when its last message was decided
    firing INTEGER NOT NULL DEFAULT 0,        -- how many objects fire
    created INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX alert_rules_of_account ON alert_rules (account_id, event, seq);

  CREATE TABLE alert_rule_channels (
    rule_seq INTEGER NOT NULL REFERENCES alert_rules ON DELETE CASCADE,
    channel_seq INTEGER NOT NULL REFERENCES alert_channels ON DELETE CASCADE,
    PRIMARY KEY (rule_seq, channel_seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX alert_rules_of_channel ON alert_rule_channels (channel_seq);

  CREATE TABLE alert_firing (                 -- states that last, from when the rule's time has passed
    rule_seq INTEGER NOT NULL REFERENCES alert_rules ON DELETE CASCADE,
    object INTEGER NOT NULL,                  -- seq of the device or tunnel, or which limit
    since INTEGER NOT NULL,
    noted INTEGER NOT NULL,                   -- 1: it is in a message, or in alert_events
    text TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (rule_seq, object)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE alert_events (                 -- what the next message of a rule will contain
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
  ) STRICT;
  CREATE INDEX alert_events_of_rule ON alert_events (rule_seq, seq);

  CREATE TABLE alert_jobs (                   -- jobs that ended badly, until the rules were applied to them
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    job_seq INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE alert_messages (
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
  ) STRICT;
  CREATE INDEX alert_messages_by_age ON alert_messages (at);

  CREATE TABLE alert_deliveries (             -- of a message to one channel
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES accounts,
    message_seq INTEGER NOT NULL REFERENCES alert_messages ON DELETE CASCADE,
    channel_seq INTEGER,                      -- no reference: a delivery outlives its channel
    channel TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('Waiting', 'Delivered', 'Failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    due INTEGER NOT NULL,                     -- when the next attempt is
    until INTEGER NOT NULL,                   -- no attempt is made after it
    because TEXT NOT NULL DEFAULT '',
    last INTEGER
  ) STRICT;
  CREATE INDEX alert_deliveries_of_account ON alert_deliveries (account_id, seq);
  CREATE INDEX alert_deliveries_of_message ON alert_deliveries (message_seq);
  CREATE INDEX alert_deliveries_due ON alert_deliveries (due) WHERE state = 'Waiting';

  CREATE INDEX devices_away ON devices (account_id, state_time) WHERE state_online = 0;
`;

/** Which jobs end badly is noted in the transaction that ends them, so that none is missed and none counts twice. */
const JOB_ENDED = `new.ended IS NOT NULL AND old.ended IS NULL AND new.parent_seq IS NULL AND new.status IN ('Failed', 'Interrupted')`;
const NOTE_JOB = `INSERT INTO alert_jobs (job_seq) SELECT new.seq
  WHERE EXISTS (SELECT 1 FROM alert_rules WHERE account_id = new.account_id AND event = 'JobFailed')`;

/** What the log of changes says of alerts: see change-log-tables.ts. */
const LOGGED = [
  { name: 'log_alert_rule_added', on: 'INSERT ON alert_rules', row: 'new' },
  { name: 'log_alert_rule_changed', on: 'UPDATE ON alert_rules', row: 'new' },
  { name: 'log_alert_rule_removed', on: 'DELETE ON alert_rules', row: 'old' },
  { name: 'log_alert_channel_added', on: 'INSERT ON alert_channels', row: 'new' },
  { name: 'log_alert_channel_removed', on: 'DELETE ON alert_channels', row: 'old' },
  { name: 'log_alert_delivery_added', on: 'INSERT ON alert_deliveries', row: 'new' },
  { name: 'log_alert_delivery_changed', on: 'UPDATE ON alert_deliveries', row: 'new' },
].map(({ name, on, row }) => ({
  name,
  on,
  entry: `INSERT INTO changes (account_id, kind, what) VALUES (${row}.account_id, 'alert', 'changed')`,
}));

export const ALERT_TRIGGERS = {
  sqlite: [
    `CREATE TRIGGER note_alert_job AFTER UPDATE OF ended ON jobs WHEN ${JOB_ENDED} BEGIN ${NOTE_JOB}; END;`,
    ...LOGGED.map(({ name, on, entry }) => `CREATE TRIGGER ${name} AFTER ${on} BEGIN ${entry}; END;`),
  ].join('\n'),
  postgres: [
    `CREATE FUNCTION note_alert_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${NOTE_JOB}; RETURN NULL; END $$;
     CREATE TRIGGER note_alert_job AFTER UPDATE OF ended ON jobs FOR EACH ROW WHEN (${JOB_ENDED}) EXECUTE FUNCTION note_alert_job();`,
    ...LOGGED.map(
      ({ name, on, entry }) => `
        CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${entry}; RETURN NULL; END $$;
        CREATE TRIGGER ${name} AFTER ${on} FOR EACH ROW EXECUTE FUNCTION ${name}();`,
    ),
  ].join('\n'),
};

/** Every job that ends is noted: its output may show a failure that its exit code does not. */
const TOP_ENDED = 'new.ended IS NOT NULL AND old.ended IS NULL AND new.parent_seq IS NULL';
export const ALERT_JOBS_TRIGGER = {
  sqlite: `
    DROP TRIGGER note_alert_job;
    CREATE TRIGGER note_alert_job AFTER UPDATE OF ended ON jobs WHEN ${TOP_ENDED} BEGIN ${NOTE_JOB}; END;`,
  postgres: `
    DROP TRIGGER note_alert_job ON jobs;
    CREATE TRIGGER note_alert_job AFTER UPDATE OF ended ON jobs FOR EACH ROW WHEN (${TOP_ENDED}) EXECUTE FUNCTION note_alert_job();`,
};
