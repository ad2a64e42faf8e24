// The CSV of a long audit log: no more of it is read than the client takes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { after, before, mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { until } from '../../scripts/test-process.ts';
import { startTestService } from '../test-service.ts';
import type { ExportReader } from '../store/database.ts';
import type { TestService } from '../test-service.ts';

/** About 30 MB as CSV: several times what the connection itself holds. */
const ENTRIES = 200_000;

let service: TestService;
before(async () => {
  service = await startTestService();
  await service.context.db.write((tx) =>
    tx.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ENTRIES})
       INSERT INTO audit (at, account_id, actor, address, action, target, outcome)
       SELECT i, 1, 'token:${'a'.repeat(60)}', '192.0.2.1', 'device.update', 'none', 'done' FROM n`,
    ),
  );
});
after(() => service.end());

/** How many rows of the log were read so far, and how many readers are open. */
function countReads() {
  const { db } = service.context;
  const openReader = db.openReader.bind(db);
  let [rows, open] = [0, 0];
  const spy = mock.method(db, 'openReader', (): ExportReader => {
    const reader = openReader();
    open++;
    return {
      ...reader,
      all: async <T>(...args: Parameters<typeof db.all>) => {
        const found = await reader.all<T>(...args);
        rows += found.length;
        return found;
      },
      close: () => {
        open--;
        reader.close();
      },
    };
  });
  return { rows: () => rows, open: () => open, end: () => spy.mock.restore() };
}

/** Asks for the CSV, and reads nothing of the answer. */
async function begin(): Promise<IncomingMessage> {
  const asked = request(new URL('/v1/audit.csv', service.url), {
    headers: { Authorization: `Bearer ${service.token}` },
  }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return answer;
}

/** Waits until no more is read. */
async function settled(reads: { rows: () => number }): Promise<number> {
  for (let known = -1; known !== reads.rows();) {
    known = reads.rows();
    for (let turns = 0; turns < 300; turns++) await turn();
  }
  return reads.rows();
}

test('the log is read as far as the client has taken the file, and to its end', async (t) => {
  const reads = countReads();
  t.after(reads.end);
  const answer = await begin();
  const ahead = await settled(reads);
  assert.ok(ahead < ENTRIES / 2, `${ahead} entries were read ahead`);
  let lines = 0;
  for await (const piece of answer.setEncoding('utf8')) lines += String(piece).split('\n').length - 1;
  assert.ok(lines > ENTRIES && reads.rows() > ENTRIES - 1_000);
  assert.equal(reads.open(), 0);
});

test('a client that leaves ends the reading', async (t) => {
  const reads = countReads();
  t.after(reads.end);
  const answer = await begin();
  await settled(reads);
  answer.destroy();
  await until('the end of the request', async () => {
    await settled(reads);
    return service.context.traffic.active === 0;
  });
  assert.ok(reads.rows() < ENTRIES - 1_000);
  await until('the end of its reader', () => reads.open() === 0);
});
