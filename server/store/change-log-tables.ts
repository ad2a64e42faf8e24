// The migrations that create the log of changes, see changes.ts. Triggers write it, so that no statement that changes what
// a list shows can be without its entry, cascades included. Not logged: last_seen, traffic of tunnels, output that
// arrives. Released, so they are never edited.

export const CHANGES_TABLE = `
  CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,  -- in the order of commits
    account_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    what TEXT NOT NULL CHECK (what IN ('added', 'changed', 'removed')),
    object INTEGER NOT NULL DEFAULT 0,      -- seq of the device or job
    parent INTEGER,                         -- seq of a child's parent
    id TEXT NOT NULL DEFAULT ''
  ) STRICT;
`;

interface Logged {
  table: string;
  kind: string;
  /** Columns that lists show; undefined if no row is ever changed. */
  columns?: string;
  /** The values of object, parent and id, from a row named `row`. */
  values?: [object: string, parent: string, id: string];
}

const LOGGED: readonly Logged[] = [
  {
    table: 'devices',
    kind: 'device',
    columns: `online, name, grp, customer, site, lat, lng, local_addr, local_port, agent_version, os, arch, hostname,
      agent_update, agent_problem, agent_problem_text`,
    values: ['row.seq', 'NULL', 'row.id'],
  },
  {
    table: 'jobs',
    kind: 'job',
    columns: 'status, started, ended, exit_code, reason, result, stop_asked, output_removed, superseded',
    values: ['row.seq', 'row.parent_seq', 'row.id'],
  },
  { table: 'tunnels', kind: 'tunnel', columns: 'connected, offered, port, login, idle_seconds, expires' },
  { table: 'artifacts', kind: 'artifact' },
  { table: 'workflows', kind: 'workflow' },
  { table: 'tags', kind: 'tag' },
  { table: 'tokens', kind: 'token', columns: 'revoked' },
  { table: 'sessions', kind: 'session' },
  { table: 'accounts', kind: 'account', columns: 'email, max_devices, artifact_limit', values: ['0', 'NULL', "''"] },
  { table: 'bulk', kind: 'bulk', columns: 'state, next', values: ['0', 'NULL', 'row.id'] },
];

const EVENTS = [
  { event: 'INSERT', what: 'added', row: 'new' },
  { event: 'UPDATE', what: 'changed', row: 'new' },
  { event: 'DELETE', what: 'removed', row: 'old' },
] as const;

/** One trigger for each table and event, around the statement that writes the entry. */
const triggers = (create: (trigger: { name: string; on: string; entry: string }) => string): string => {
  const made = LOGGED.flatMap(({ table, kind, columns, values = ['0', 'NULL', "''"] }) =>
    EVENTS.filter(({ event }) => event !== 'UPDATE' || columns !== undefined).map(({ event, what, row }) => {
      const account = table === 'accounts' ? 'row.id' : 'row.account_id';
      const entry = `INSERT INTO changes (account_id, kind, what, object, parent, id)
        VALUES (${[account, `'${kind}'`, `'${what}'`, ...values].join(', ').replaceAll('row.', `${row}.`)})`;
      const on = `${event}${event === 'UPDATE' ? ` OF ${columns}` : ''} ON ${table}`;
      return create({ name: `log_${kind}_${what}`, on, entry });
    }),
  );
  const tagged = (['new', 'old'] as const).map((row) =>
    create({
      name: row === 'new' ? 'log_tag_attached' : 'log_tag_detached',
      on: `${row === 'new' ? 'INSERT' : 'DELETE'} ON device_tags`,
      entry: `INSERT INTO changes (account_id, kind, what, object, id)
        SELECT account_id, 'device', 'changed', seq, id FROM devices WHERE seq = ${row}.device_seq`,
    }),
  );
  return [...made, ...tagged].join('\n');
};

/** A job that is archived leaves the lists, and one that is restored returns to them. */
const ARCHIVED = `INSERT INTO changes (account_id, kind, what, object, id)
  VALUES (new.account_id, 'job', CASE WHEN new.archived IS NULL THEN 'added' ELSE 'removed' END, new.seq, new.id)`;

export const ARCHIVE_TRIGGER = {
  sqlite: `CREATE TRIGGER log_job_archived AFTER UPDATE OF archived ON jobs BEGIN ${ARCHIVED}; END;`,
  postgres: `
    CREATE FUNCTION log_job_archived() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${ARCHIVED}; RETURN NULL; END $$;
    CREATE TRIGGER log_job_archived AFTER UPDATE OF archived ON jobs FOR EACH ROW EXECUTE FUNCTION log_job_archived();`,
};

/** A single job that is retried becomes a child, and leaves the lists, where its parent takes its place. */
const ADOPTED = `INSERT INTO changes (account_id, kind, what, object, id)
  VALUES (new.account_id, 'job', 'removed', new.seq, new.id)`;

export const ADOPTED_TRIGGER = {
  sqlite: `CREATE TRIGGER log_job_adopted AFTER UPDATE OF parent_seq ON jobs BEGIN ${ADOPTED}; END;`,
  postgres: `
    CREATE FUNCTION log_job_adopted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${ADOPTED}; RETURN NULL; END $$;
    CREATE TRIGGER log_job_adopted AFTER UPDATE OF parent_seq ON jobs FOR EACH ROW EXECUTE FUNCTION log_job_adopted();`,
};

/** A verdict of a job or of a parent's children. */
const JUDGED = `INSERT INTO changes (account_id, kind, what, object, parent, id)
  VALUES (new.account_id, 'job', 'changed', new.seq, new.parent_seq, new.id)`;

export const JUDGED_TRIGGER = {
  sqlite: `CREATE TRIGGER log_job_judged AFTER UPDATE OF verdict, judged ON jobs BEGIN ${JUDGED}; END;`,
  postgres: `
    CREATE FUNCTION log_job_judged() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${JUDGED}; RETURN NULL; END $$;
    CREATE TRIGGER log_job_judged AFTER UPDATE OF verdict, judged ON jobs FOR EACH ROW EXECUTE FUNCTION log_job_judged();`,
};

/** A job that has ended is to be judged, if what it ran has rules. */
const TO_JUDGE = `INSERT INTO to_judge (job_seq) SELECT new.seq FROM rules
  WHERE account_id = new.account_id
    AND name = (SELECT rule_name FROM jobs WHERE seq = coalesce(new.parent_seq, new.seq)) ON CONFLICT DO NOTHING`;
const ENDED = `new.ended IS NOT NULL AND new.device_seq IS NOT NULL AND new.status <> 'Cancelled'`;

export const TO_JUDGE_TRIGGER = {
  sqlite: `CREATE TRIGGER judge_ended_job AFTER UPDATE OF ended ON jobs WHEN ${ENDED} BEGIN ${TO_JUDGE}; END;`,
  postgres: `
    CREATE FUNCTION judge_ended_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${TO_JUDGE}; RETURN NULL; END $$;
    CREATE TRIGGER judge_ended_job AFTER UPDATE OF ended ON jobs FOR EACH ROW WHEN (${ENDED}) EXECUTE FUNCTION judge_ended_job();`,
};

export const CHANGE_TRIGGERS = {
  sqlite: triggers(({ name, on, entry }) => `CREATE TRIGGER ${name} AFTER ${on} BEGIN ${entry}; END;`),
  postgres: triggers(
    ({ name, on, entry }) => `
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${entry}; RETURN NULL; END $$;
      CREATE TRIGGER ${name} AFTER ${on} FOR EACH ROW EXECUTE FUNCTION ${name}();`,
  ),
};

/**
 * Shows whether an entry is still the one that was read before, see changes.ts. Only PostgreSQL can be restored under a
 * running service, so SQLite needs no other value than 0.
 */
export const CHANGE_MARKS = {
  sqlite: 'ALTER TABLE changes ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;',
  postgres: `ALTER TABLE changes ADD COLUMN mark BIGINT NOT NULL
    DEFAULT CAST(floor(random() * ${Number.MAX_SAFE_INTEGER}) AS BIGINT);`,
};
