// The migrations for the list of jobs by cursor, see job-list.ts: in which states a single job or parent is looked for.

const STATES = [
  'Waiting',
  'Running',
  'Succeeded',
  'Failed',
  'Cancelled',
  'Interrupted',
  'RolledBack',
  'NoAnswer',
] as const;

export const JOB_LIST_TABLES = `
  CREATE TABLE job_states (                   -- of single jobs and parents: their own, and those of any device
    account_id INTEGER NOT NULL,
    archived INTEGER NOT NULL,                -- 1: it is in the archive
    state TEXT NOT NULL,                      -- a status, or a verdict of the outcome rules
    job_seq INTEGER NOT NULL,                 -- no reference: triggers keep the table
    PRIMARY KEY (account_id, archived, state, job_seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX jobs_of_account ON jobs (account_id, seq, name) WHERE parent_seq IS NULL;  -- names are read in it alone
  CREATE INDEX jobs_in_archive ON jobs (account_id, seq) WHERE parent_seq IS NULL AND archived IS NOT NULL;
  CREATE INDEX jobs_of_group ON jobs (account_id, device_group, seq) WHERE parent_seq IS NULL AND device_group IS NOT NULL;
  CREATE INDEX jobs_of_tag ON jobs (account_id, tag_id, seq) WHERE parent_seq IS NULL AND tag_id IS NOT NULL;
  CREATE INDEX jobs_by_move ON jobs (account_id, (coalesce(ended, started, created))) WHERE parent_seq IS NULL;
  -- With the parent, so that a device's jobs are found in the index alone.
  DROP INDEX jobs_of_device;
  CREATE INDEX jobs_of_device ON jobs (device_seq, seq, parent_seq) WHERE device_seq IS NOT NULL;
`;

/** A child that its outcome rules judged otherwise than its status. */
const SHIFTED =
  'FROM jobs s WHERE s.parent_seq = c.job_seq AND s.verdict IS NOT NULL AND s.verdict <> s.status AND s.superseded = 0';
const countOf = (state: string): string =>
  state === 'RolledBack' || state === 'NoAnswer'
    ? `(SELECT count(*) ${SHIFTED} AND s.verdict = '${state}')`
    : `(c.${state.toLowerCase()} - (SELECT count(*) ${SHIFTED} AND s.status = '${state}')
        + (SELECT count(*) ${SHIFTED} AND s.verdict = '${state}'))`;
const NOT_SUCCEEDED = STATES.filter((state) => state !== 'Succeeded');

/** A parent has succeeded when all its devices have; it is in any other state as soon as one device is. */
const statesOfParent = (which: string) =>
  STATES.map((state) => {
    const none = (states: readonly string[]) => states.map((each) => `${countOf(each)} = 0`).join(' AND ');
    const condition = `${countOf(state)} > 0${state === 'Succeeded' ? ` AND ${none(NOT_SUCCEEDED)}` : ''}`;
    return `SELECT j.account_id, CASE WHEN j.archived IS NULL THEN 0 ELSE 1 END, '${state}', j.seq
      FROM jobs j JOIN job_counts c ON c.job_seq = j.seq WHERE ${which} AND ${condition}`;
  }).join(' UNION ');

/** `which`: a condition on `j`, a row of jobs. */
const statesOf = (which: string) => `
  SELECT j.account_id, CASE WHEN j.archived IS NULL THEN 0 ELSE 1 END AS archived, coalesce(j.verdict, j.status) AS state, j.seq
    FROM jobs j WHERE ${which} AND (j.device_seq IS NOT NULL OR j.status IN ('Waiting', 'Running')
      OR NOT EXISTS (SELECT 1 FROM job_counts WHERE job_seq = j.seq))
  UNION ${statesOfParent(which)}`;

const add = (which: string) =>
  `INSERT INTO job_states (account_id, archived, state, job_seq) ${statesOf(`j.parent_seq IS NULL AND ${which}`)}`;

const remove = (seq: string, account: string) =>
  `DELETE FROM job_states WHERE account_id = ${account} AND archived IN (0, 1)
     AND state IN (${STATES.map((state) => `'${state}'`).join(', ')}) AND job_seq = ${seq}`;

const refresh = (seq: string, account: string) => `${remove(seq, account)}; ${add(`j.seq = ${seq}`)}`;
const ofCounts = refresh('new.job_seq', '(SELECT account_id FROM jobs WHERE seq = new.job_seq)');

const COLUMNS = ['waiting', 'running', 'succeeded', 'failed', 'cancelled', 'interrupted'];
const CHANGED = 'UPDATE OF status, verdict, judged, archived, parent_seq ON jobs';
/** A job that was just added, or has no children, is in one state. */
const addOwn = `INSERT INTO job_states (account_id, archived, state, job_seq)
  SELECT new.account_id, CASE WHEN new.archived IS NULL THEN 0 ELSE 1 END, coalesce(new.verdict, new.status), new.seq`;
const TRIGGERS = [
  { name: 'state_of_job_added', on: 'INSERT ON jobs', when: 'new.parent_seq IS NULL', what: addOwn },
  {
    name: 'state_of_single_changed',
    on: CHANGED,
    when: 'new.parent_seq IS NULL AND new.device_seq IS NOT NULL',
    what: `${remove('new.seq', 'new.account_id')}; ${addOwn}`,
  },
  {
    name: 'state_of_parent_changed',
    on: CHANGED,
    when: 'new.parent_seq IS NULL AND new.device_seq IS NULL',
    what: refresh('new.seq', 'new.account_id'),
  },
  {
    name: 'state_of_job_adopted',
    on: 'UPDATE OF parent_seq ON jobs',
    when: 'new.parent_seq IS NOT NULL AND old.parent_seq IS NULL',
    what: remove('new.seq', 'new.account_id'),
  },
  {
    name: 'state_of_job_removed',
    on: 'DELETE ON jobs',
    when: 'old.parent_seq IS NULL',
    what: remove('old.seq', 'old.account_id'),
  },
  { name: 'state_of_counts_added', on: 'INSERT ON job_counts', when: '1 = 1', what: ofCounts },
  {
    name: 'state_of_counts_changed',
    on: 'UPDATE ON job_counts',
    // Ten thousand devices that end one by one change it a few times.
    when: COLUMNS.map((column) => `(old.${column} = 0) <> (new.${column} = 0)`).join(' OR '),
    what: ofCounts,
  },
];

const FILL = `${add('1 = 1')};`;

export const JOB_LIST_TRIGGERS = {
  sqlite: [
    FILL,
    ...TRIGGERS.map(
      ({ name, on, when, what }) => `CREATE TRIGGER ${name} AFTER ${on} WHEN ${when} BEGIN ${what}; END;`,
    ),
  ].join('\n'),
  postgres: [
    FILL,
    ...TRIGGERS.map(
      ({ name, on, when, what }) => `
        CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${what}; RETURN NULL; END $$;
        CREATE TRIGGER ${name} AFTER ${on} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${name}();`,
    ),
  ].join('\n'),
};
