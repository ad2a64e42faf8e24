// The migration that creates the tables of standing orders. Released, so it is never edited.

export const STANDING_ORDER_TABLES = `
  CREATE TABLE standing_orders (              -- which version the devices of a group should have
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES accounts,
    folded TEXT NOT NULL,
    name TEXT NOT NULL,
    grp TEXT NOT NULL,
    artifact_id TEXT NOT NULL,
    artifact_name TEXT NOT NULL,              -- as in device_versions; these two stay when the artifact is deleted
    artifact_version TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,       -- raised by each change
    actor TEXT NOT NULL,                      -- who changed it last: its jobs are theirs
    address TEXT NOT NULL,
    changed INTEGER NOT NULL,
    UNIQUE (account_id, folded)
  ) STRICT;
  CREATE TABLE standing_order_devices (       -- those that were given a job; they get no other by themselves
    order_seq INTEGER NOT NULL REFERENCES standing_orders ON DELETE CASCADE,
    device_seq INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,
    job_seq INTEGER NOT NULL,                 -- the parent; no reference: that it was given outlives the job
    PRIMARY KEY (order_seq, device_seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX standing_orders_of_device ON standing_order_devices (device_seq);
`;
