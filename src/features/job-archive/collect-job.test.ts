// What of a job is read to archive it: the list, and only those children by themselves of which the list lacks something.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { RequestQueue } from '#/lib/request-queue.ts';
import { unpackRows } from './archived-job.ts';
import { collectJob } from './collect-job.ts';

const original = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = original;
});

const row = (JobId: string, fields: object) => ({
  JobId,
  JobName: 'j',
  DeviceId: `d-${JobId}`,
  Status: 'Succeeded',
  StartTime: '',
  EndTime: 'then',
  Command: '',
  Stdout: '',
  Stderr: '',
  Result: '',
  ...fields,
});

/** Collects a parent of these children; the single ones are answered with `whole`. */
async function collected(children: object[], whole: Record<string, object> = {}) {
  const sent: string[] = [];
  globalThis.fetch = (input) => {
    const path = String(input instanceof Request ? input.url : input).replace(/^.*\/v1/, '');
    sent.push(path);
    const id = path.split('/')[2] ?? '';
    const parent = { ...row('p', { Command: 'do it', Counts: { Succeeded: children.length } }), DeviceId: '' };
    return Promise.resolve(Response.json(path.endsWith('/childjobs') ? children : id === 'p' ? parent : whole[id]));
  };
  const signal = new AbortController().signal;
  const { sealed } = await collectJob('p', { queue: new RequestQueue({ atOnce: 2, signal }), signal }, () => undefined);
  const rows = (await Promise.all(sealed.outputs.map(unpackRows))).flat();
  return { sent: sent.filter((path) => !['/job/p', '/job/p/childjobs'].includes(path)), rows };
}

test('children with their output in the list are not read again, and have the command of their parent', async () => {
  const children = Array.from({ length: 250 }, (_, index) =>
    row(`c${index}`, { Stdout: `out ${index}`, Result: `out ${index}` }),
  );
  const { sent, rows } = await collected(children);
  assert.deepEqual(sent, []);
  assert.equal(rows.length, 250);
  assert.deepEqual(
    rows.slice(248).map(({ Stdout, Command, Result }) => [Stdout, Command, Result]),
    [
      ['out 248', 'do it', ''],
      ['out 249', 'do it', ''],
    ],
  );
});

test('a child of which the list lacks output, or the reason of a failure, is read by itself', async () => {
  const long = 'x'.repeat(5_000);
  const cut = `${long.slice(0, 4_096)}…`;
  const children = [
    row('marked', { Stdout: '[muster] 5 bytes left out here; GET /v1/job/marked has all.\nend' }),
    row('failed', { Status: 'Failed', Stdout: long, Result: cut }),
    row('fine', { Stdout: long, Result: cut }),
    row('short', { Status: 'Failed', Stderr: 'no', Result: 'no\nKilled' }),
    { ...row('other', {}), Stdout: undefined, Stderr: undefined, Result: 'printed' },
  ];
  const { sent, rows } = await collected(children, {
    marked: row('marked', { Stdout: 'all to the end', Result: 'all to the end' }),
    failed: row('failed', { Status: 'Failed', Stdout: long, Result: `${long}\nKilled` }),
    other: { ...row('other', {}), Stdout: 'printed' },
  });
  assert.deepEqual(sent.toSorted(), ['/job/failed', '/job/marked', '/job/other']);
  assert.deepEqual(
    rows.map(({ JobId, Stdout, Result }) => [JobId, Stdout?.length, Result]),
    [
      ['marked', 14, ''],
      ['failed', 5_000, 'Killed'],
      ['fine', 5_000, ''],
      ['short', 0, 'Killed'],
      ['other', 7, ''],
    ],
  );
});
