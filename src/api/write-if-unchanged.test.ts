import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from './api-error.ts';
import { writeIfUnchanged } from './write-if-unchanged.ts';

const row = (ChangedTime: string) => ({ ChangedBy: 'token:a', ChangedTime });
const refused = () => new ApiError('refused', 'changed');

function list(...readings: [rows: ReturnType<typeof row>[], etag: string | null][]) {
  const sent: (string | undefined)[] = [];
  const write = (before: ReturnType<typeof row> | undefined, send = async () => {}) =>
    writeIfUnchanged({
      read: async () => {
        const [data, etag] = readings.length > 1 ? readings.shift()! : readings[0]!;
        return { data, etag };
      },
      find: ([first]) => first,
      before,
      refused,
      send: async (headers) => {
        sent.push(headers['if-match']);
        await send();
      },
    });
  return { write, sent };
}

test('an unchanged row is written with the ETag of its list, if there is one', async () => {
  const { write, sent } = list([[row('1')], '"e"'], [[], null]);
  await write(row('1'));
  await write(undefined);
  assert.deepEqual(sent, ['"e"', undefined]);
});

test('a row that somebody else changed, removed or added is not written', async () => {
  for (const [now, before] of [
    [[row('2')], row('1')],
    [[], row('1')],
    [[row('1')], undefined],
  ] as const) {
    const { write, sent } = list([[...now], '"e"']);
    await assert.rejects(write(before), /changed/);
    assert.deepEqual(sent, []);
  }
});

test('the write is retried a few times if another row of the list changes in between', async () => {
  const lost = new ApiError('refused', 'lost', { status: 412 });
  const once = list([[row('1')], '"e"'], [[row('1')], '"f"']);
  let losses = 1;
  await once.write(row('1'), async () => {
    if (losses-- > 0) throw lost;
  });
  assert.deepEqual(once.sent, ['"e"', '"f"']);
  const always = list([[row('1')], '"e"']);
  await assert.rejects(
    always.write(row('1'), async () => {
      throw lost;
    }),
    lost,
  );
  assert.equal(always.sent.length, 3);
});
