// The migrations for the running totals of states, see state-totals.ts. Released, so they are never edited.

export const TOTALS_TABLE = `
  ALTER TABLE state_changes ADD COLUMN online_before INTEGER;  -- milliseconds its device was Online before it
  ALTER TABLE state_changes ADD COLUMN number INTEGER;         -- among the changes of its device
  CREATE TABLE state_totals (                                  -- the last change that has them; all before it have, too
    one INTEGER PRIMARY KEY CHECK (one = 1),
    at INTEGER NOT NULL,
    device_seq INTEGER NOT NULL
  ) STRICT;
`;

/** What is noted late: the totals of all changes after it are added again. */
const NOTED = [
  { name: 'state_noted', on: 'INSERT ON state_changes', at: 'new.at' },
  { name: 'state_noted_again', on: 'UPDATE OF cause ON state_changes', at: 'new.at' },
  // In the gap at 0 all is unknown: no total is counted from before its end.
  { name: 'state_gap_noted', on: 'INSERT ON service_gaps', at: 'nullif(new.from_time, 0)' },
  { name: 'state_gap_changed', on: 'UPDATE ON service_gaps', at: 'nullif(new.from_time, 0)' },
].map(({ name, on, at }) => ({
  name,
  on,
  entry: `UPDATE state_totals SET at = ${at}, device_seq = 0 WHERE at >= ${at}`,
}));

export const TOTALS_TRIGGERS = {
  sqlite: NOTED.map(({ name, on, entry }) => `CREATE TRIGGER ${name} AFTER ${on} BEGIN ${entry}; END;`).join('\n'),
  postgres: NOTED.map(
    ({ name, on, entry }) => `
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${entry}; RETURN NULL; END $$;
      CREATE TRIGGER ${name} AFTER ${on} FOR EACH ROW EXECUTE FUNCTION ${name}();`,
  ).join('\n'),
};
