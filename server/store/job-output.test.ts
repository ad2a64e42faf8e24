// Output in parts: together they are complete, none is cut within a character, and both streams keep their order of
// arrival. Small messages are combined to few stored rows.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Stream } from '#/contract/agent-link.ts';
import { insertRow } from './database.ts';
import { onPostgres, openTestDatabase } from './test-database.ts';
import type { Database } from './database.ts';
import { appendOutput, completeLength, outputSize, readOutput, readPart } from './job-output.ts';
import { addRuns, latestRun, nextRun } from './output-order.ts';
import { readParts } from './output-parts.ts';

let db: Database;
let jobs = 0;
before(async () => {
  db = await openTestDatabase();
  await db.write((tx) =>
    tx.run("INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (1, 'a', 1, 1, 1)"),
  );
});
after(() => db.close());

const newJob = () =>
  db.write((tx) =>
    insertRow(
      tx,
      "INSERT INTO jobs (id, account_id, name, status, created) VALUES (?, 1, 'j', 'Running', 1)",
      `job-${++jobs}`,
    ),
  );

/** A job with one stream, stored in messages of `step` bytes, or in a row for each as earlier versions did. */
async function jobOf(whole: Buffer, step: number, asEarlier = false): Promise<number> {
  const seq = await newJob();
  await db.write(async (tx) => {
    for (let offset = 0; offset < whole.length; offset += step) {
      const bytes = whole.subarray(offset, offset + step);
      if (asEarlier) await tx.run('INSERT INTO job_output VALUES (?, 1, ?, ?)', seq, offset, bytes);
      else await appendOutput(tx, seq, 'stdout', offset, bytes);
    }
  });
  return seq;
}

const piecesOf = (seq: number) =>
  db.all<{ size: number }>('SELECT length(bytes) AS size FROM job_output WHERE job_seq = ? ORDER BY "offset"', seq);

async function collected(seq: number, limit: number, over: boolean): Promise<{ texts: string[]; at: number }> {
  const texts: string[] = [];
  for (let at = 0; ;) {
    const { bytes, from, next, more } = await readPart(db, seq, 'stdout', { asked: at, limit, over });
    assert.equal(from, at);
    texts.push(bytes.toString());
    at = next;
    if (!more) return { texts, at };
  }
}

test('parts of any size join to the whole text', async () => {
  const whole = Buffer.from('aä漢😀\n'.repeat(40));
  for (const asEarlier of [false, true])
    for (const step of [1, 7, 64, 5000]) {
      const seq = await jobOf(whole, step, asEarlier);
      for (const limit of [4, 5, 6, 7, 64]) {
        const { texts, at } = await collected(seq, limit, true);
        assert.equal(texts.join(''), whole.toString(), `${step}, ${limit}`);
        assert.ok(texts.every((text) => !text.includes('\ufffd')));
        assert.equal(at, whole.length);
      }
    }
});

test('bytes that are no text read in parts as they do in one', async () => {
  const whole = Buffer.from([
    0x61, 0xff, 0xc3, 0x28, 0x80, 0x80, 0x80, 0x80, 0x80, 0xe2, 0x82, 0xf0, 0x9f, 0x98, 0x41, 0xc0,
  ]);
  const seq = await jobOf(whole, 3);
  for (const limit of [4, 5, 6, 7]) assert.equal((await collected(seq, limit, true)).texts.join(''), whole.toString());
});

test('half a character at the end waits for its rest, unless there will be none', async () => {
  const seq = await jobOf(Buffer.from('ok😀').subarray(0, 4), 100);
  assert.deepEqual(await collected(seq, 100, false), { texts: ['ok'], at: 2 });
  assert.deepEqual(await collected(seq, 100, true), { texts: ['ok\ufffd'], at: 4 });
});

test('asked in the middle of a character or past the end, it says where it begins', async () => {
  const seq = await jobOf(Buffer.from('a😀b'), 100);
  const from = async (asked: number) => {
    const part = await readPart(db, seq, 'stdout', { asked, limit: 100, over: true });
    return [part.from, part.bytes.toString(), part.next, part.size];
  };
  assert.deepEqual(await from(3), [1, '😀b', 6, 6]);
  assert.deepEqual(await from(5), [5, 'b', 6, 6]);
  assert.deepEqual(await from(6), [6, '', 6, 6]);
  assert.deepEqual(await from(99), [6, '', 6, 6]);
  assert.equal(completeLength(Buffer.from('')), 0);
});

test('a few bytes at a time fill pieces of a bounded size, every byte as it came', async () => {
  const whole = Buffer.from(Array.from({ length: 50_000 }, (_, n) => (n * 7919) % 256));
  // Each step is a statement that travels to PostgreSQL.
  const seq = await jobOf(whole, onPostgres ? 16 : 1);
  assert.ok((await readOutput(db, seq, 'stdout')).equals(whole));
  const sizes = (await piecesOf(seq)).map(({ size }) => size);
  assert.equal(sizes.length, Math.ceil(whole.length / 1900), String(sizes));
  assert.ok(Math.max(...sizes) <= 1900, String(sizes));
});

test('large and small together stay few pieces, none of them larger than 64 kB', async () => {
  const whole = Buffer.from(Array.from({ length: 400_000 }, (_, n) => (n * 31) % 251));
  const seq = await newJob();
  await db.write(async (tx) => {
    let offset = 0;
    for (const length of [1, 1900, 1, 16_384, 200_000, 5, 48_000, 133_709]) {
      await appendOutput(tx, seq, 'stdout', offset, whole.subarray(offset, offset + length));
      offset += length;
    }
  });
  assert.ok((await readOutput(db, seq, 'stdout')).equals(whole));
  const sizes = (await piecesOf(seq)).map(({ size }) => size);
  assert.ok(
    sizes.every((size, at) => size <= 65_536 && size + (sizes[at + 1] ?? 65_536) > 1900),
    String(sizes),
  );
});

test('a job of an earlier version, a row for each byte, is read in slices, others in between', async () => {
  const whole = Buffer.from('0123456789'.repeat(500));
  const seq = await jobOf(whole, 1, true);
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const read = await readOutput(db, seq, 'stdout');
  clearImmediate(counting);
  assert.ok(read.equals(whole));
  assert.ok(turns >= 4, `${turns} turns`);
  assert.ok((await readOutput(db, seq, 'stdout')).equals(whole));
  assert.ok((await readOutput(db, seq, 'stdout', 1_500, 3_700)).equals(whole.subarray(1_500, 3_700)));
});

// ---- KeyedSubmission of arrival
// ----------------------------------------------------------------------------------------------

const MINUTE = 60_000;

/** A job with these streams: "o:text" and "e:text"; the groups arrive a minute apart. */
async function jobIn(order: (string | Buffer)[][]): Promise<number> {
  const seq = await newJob();
  const have = { stdout: 0, stderr: 0 };
  const run = await latestRun(db, seq, false);
  for (const [minute, messages] of order.entries())
    await db.write(async (tx) => {
      for (const [at, bytes] of messages.entries()) {
        if (at % 2 === 1) continue;
        const stream: Stream = bytes === 'o' ? 'stdout' : 'stderr';
        const text = Buffer.from(messages[at + 1] ?? '');
        const start = nextRun(run, stream, have, minute * MINUTE);
        if (start) await addRuns(tx, seq, [start]);
        await appendOutput(tx, seq, stream, have[stream], text);
        have[stream] += text.length;
      }
    });
  return seq;
}

/** Reads a job from its beginning, `limit` bytes of each stream at a time; joins consecutive pieces of a stream. */
async function inOrder(seq: number, limit: number, over = true): Promise<string> {
  const at = { stdout: 0, stderr: 0 };
  const texts = { stdout: '', stderr: '' };
  const pieced = { stdout: '', stderr: '' };
  let all = '';
  let last = '';
  for (let answers = 0; answers < 1000; answers++) {
    const { stdout, stderr, pieces } = await readParts(db, seq, at, { limit, over });
    assert.ok(pieces, 'the order is known');
    for (const piece of pieces) {
      assert.equal(piece.from, at[piece.stream]);
      at[piece.stream] = piece.next;
      pieced[piece.stream] += piece.text;
      const mark = piece.stream === 'stdout' ? 'o:' : 'e:';
      all += last === mark ? piece.text : `${all && ' '}${mark}${piece.text}`;
      last = mark;
    }
    for (const [name, part] of Object.entries({ stdout, stderr })) {
      const stream = name as Stream;
      assert.equal(part.next, at[stream]);
      texts[stream] += part.bytes.toString();
      assert.equal(texts[stream], pieced[stream]);
    }
    if (stdout.more || stderr.more) continue;
    for (const stream of ['stdout', 'stderr'] as const) {
      const whole = await readOutput(db, seq, stream);
      if (over) assert.equal(texts[stream], whole.toString());
    }
    return all;
  }
  throw new Error('The reading does not end');
}

test('both streams come in the order of arrival, however much is read at a time', async () => {
  const seq = await jobIn([
    ['o', 'a\n', 'e', 'b\n', 'o', 'c'],
    ['o', 'd\n', 'o', 'long line of some length\n'],
    ['e', 'f😀\n', 'o', 'g\n'],
  ]);
  for (const limit of [4, 5, 7, 16, 1000])
    assert.equal(
      await inOrder(seq, limit),
      'o:a\n e:b\n o:cd\nlong line of some length\n e:f😀\n o:g\n',
      String(limit),
    );
});

test('a character that something else came into the middle of is whole where it ends', async () => {
  const face = Buffer.from('😀');
  const seq = await jobIn([['o', 'x', 'o', face.subarray(0, 2), 'e', 'err', 'o', face.subarray(2), 'e', '!']]);
  for (const limit of [4, 5, 100]) assert.equal(await inOrder(seq, limit), 'o:x e:err o:😀 e:!', String(limit));
  const half = await jobIn([['o', face.subarray(0, 2), 'e', 'err']]);
  assert.equal(await inOrder(half, 100, false), 'e:err');
  assert.equal(await inOrder(half, 100), 'o:\ufffd e:err');
});

test('what comes at another time is a piece of its own, and one that grows takes no more room', async () => {
  const seq = await jobIn([
    ['o', 'a', 'o', 'b', 'o', 'c'],
    ['o', 'd', 'o', 'e'],
    ['e', 'f'],
  ]);
  const { pieces } = await readParts(db, seq, { stdout: 0, stderr: 0 }, { limit: 100, over: true });
  assert.deepEqual(
    pieces?.map(({ text, at }) => [text, at]),
    [
      ['abc', 0],
      ['de', MINUTE],
      ['f', 2 * MINUTE],
    ],
  );
  assert.equal((await db.all('SELECT 1 FROM output_runs WHERE job_seq = ?', seq)).length, 3);
});

test('a reader who wants one stream only, or of what was stored without an order, gets all there is', async () => {
  const seq = await jobIn([['o', 'aaaa', 'e', 'bbbb', 'o', 'cccc', 'e', 'dddd']]);
  const only = await readParts(db, seq, { stdout: 0, stderr: 4 }, { limit: 4, over: true });
  assert.deepEqual([only.pieces, only.stdout.next, only.stderr.next], [undefined, 4, 8]);
  const past = await readParts(db, seq, { stdout: 99, stderr: 0 }, { limit: 8, over: true });
  assert.deepEqual([past.pieces, past.stderr.bytes.toString()], [undefined, 'bbbbdddd']);
  const earlier = await jobOf(Buffer.from('old'), 1, true);
  const old = await readParts(db, earlier, { stdout: 0, stderr: 0 }, { limit: 4, over: true });
  assert.deepEqual([old.pieces, old.stdout.bytes.toString()], [undefined, 'old']);
  assert.equal(
    nextRun(
      await latestRun(db, earlier, (await outputSize(db, earlier, 'stdout')) > 0),
      'stderr',
      { stdout: 3, stderr: 0 },
      1,
    ),
    undefined,
  );
  const nothing = await readParts(db, await newJob(), { stdout: 0, stderr: 0 }, { limit: 4, over: true });
  assert.deepEqual(nothing.pieces, []);
});

test('streams that take turns byte by byte are in order up to a bound, and whole beyond it', async () => {
  const seq = await newJob();
  const have = { stdout: 0, stderr: 0 };
  const run = await latestRun(db, seq, false);
  await db.write(async (tx) => {
    for (let n = 0; n < 60_000; n++) {
      const stream: Stream = n % 2 === 0 ? 'stdout' : 'stderr';
      const start = nextRun(run, stream, have, 0);
      if (start) await addRuns(tx, seq, [start]);
      have[stream] += 1;
    }
    for (const stream of ['stdout', 'stderr'] as const)
      await appendOutput(tx, seq, stream, 0, Buffer.alloc(have[stream], stream === 'stdout' ? 'o' : 'e'));
  });
  assert.equal((await db.all('SELECT 1 FROM output_runs WHERE job_seq = ?', seq)).length, 50_000);
  const text = (await inOrder(seq, 1_000_000)).replaceAll(/ ?[oe]:/g, '');
  assert.equal(text.slice(0, 50_000), 'oe'.repeat(25_000));
  assert.equal(text.length, 60_000);
});
