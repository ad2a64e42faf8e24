// The migration that creates the table of which version runs where, and fills it from the jobs that are there. Released,
// so it is never edited.

/** The version is stored with a job, as its artifact may be deleted before it ends. */
export const DEVICE_VERSIONS_TABLE = `
  -- Of top jobs that deploy an artifact.
  ALTER TABLE jobs ADD COLUMN artifact_version TEXT;
  UPDATE jobs SET artifact_version = (SELECT version FROM artifacts WHERE artifacts.id = jobs.artifact_id)
    WHERE parent_seq IS NULL AND artifact_id IS NOT NULL;
  CREATE TABLE device_versions (              -- the last success of each artifact on each device
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    artifact_name TEXT NOT NULL,              -- as in rules
    account_id INTEGER NOT NULL REFERENCES accounts,
    version TEXT NOT NULL,
    at INTEGER NOT NULL,
    job_seq INTEGER NOT NULL,                 -- no reference: it outlives its job
    job_id TEXT NOT NULL,
    PRIMARY KEY (device_seq, artifact_name)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO device_versions (device_seq, artifact_name, account_id, version, at, job_seq, job_id)
    SELECT device_seq, name, account_id, version, ended, seq, id FROM (
      SELECT j.device_seq, t.rule_name AS name, j.account_id, t.artifact_version AS version, j.ended, j.seq, j.id,
        row_number() OVER (PARTITION BY j.device_seq, t.rule_name ORDER BY j.seq DESC) AS place
      FROM jobs j JOIN jobs t ON t.seq = coalesce(j.parent_seq, j.seq) JOIN devices d ON d.seq = j.device_seq
      WHERE t.artifact_version IS NOT NULL AND t.rule_name IS NOT NULL AND j.ended IS NOT NULL
        AND coalesce(j.verdict, j.status) = 'Succeeded') AS successes
    WHERE place = 1;
  CREATE INDEX device_versions_of_artifact ON device_versions (account_id, artifact_name, device_seq, version);
`;
