import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from './database.ts';
import { FIXED_TIMES, OPEN_TIMES } from './open-times.ts';
import { onPostgres, openTestDatabase } from './test-database.ts';

/** Numbers that are no times, by the name of the column: keys and references, counts and sizes, flags, places. */
const NO_TIMES = new Set(
  `seq id account_id parent_seq device_seq job_seq tag_seq bulk_seq rule_seq channel_seq message_seq rollout_seq order_seq
   artifact_seq audit_seq name_seq value_seq object parent one rowid step
   max_devices num_devices artifact_limit output_bytes size_given size_bytes unpacked_bytes length received pieces start upload_seq attempt attempts judged
   waiting running succeeded failed cancelled interrupted offset number stdout stderr total done skipped next
   rotation_days needs_approval allow_tunnels max_uses uses key_seq needs_otp otp_step connections bytes_in bytes_out artifact_bytes devices firing percent for_minutes quiet_minutes idle_seconds version value
   wave waves forgiven by_hand session exit_code verdict_line port
   needs_otp online is_script superseded offered requested login noted confirmed state_online cause stream lat lng mark`.split(
    /\s+/,
  ),
);

interface NumberColumn {
  table_name: string;
  column_name: string;
}
const numbersOf = (db: Database): Promise<NumberColumn[]> =>
  db.all<NumberColumn>(
    onPostgres
      ? `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()
           AND data_type IN ('bigint', 'integer', 'smallint', 'double precision', 'real', 'numeric')`
      : `SELECT t.name AS table_name, c.name AS column_name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND c.type IN ('INTEGER', 'REAL')`,
  );

test('each stored time moves with the clock, or is left alone for a reason', async (t) => {
  const db = await openTestDatabase();
  t.after(() => db.close());
  const numbers = await numbersOf(db);
  assert.ok(numbers.length > 100);
  const there = new Set(numbers.map(({ table_name, column_name }) => `${table_name}.${column_name}`));
  const moved = OPEN_TIMES.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`));
  const listed = [...moved, ...Object.keys(FIXED_TIMES)];
  assert.equal(new Set(listed).size, listed.length, 'on one list only');
  assert.deepEqual(
    listed.filter((each) => !there.has(each)),
    [],
    'listed, but not in the tables',
  );
  const forgotten = numbers
    .filter(({ column_name }) => !NO_TIMES.has(column_name))
    .map(({ table_name, column_name }) => `${table_name}.${column_name}`)
    .filter((each) => !listed.includes(each));
  assert.deepEqual(forgotten, [], 'put a time into OPEN_TIMES or FIXED_TIMES, and another number into NO_TIMES');
});
