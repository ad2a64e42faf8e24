// Share, speed and time left of an upload.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advance, hasStalled, percentOf, speedOf, startTransfer, uploadTimeLeft } from './transfer.ts';

const MB = 1024 * 1024;
const after = (seconds: number, rate: number, total = 10 * MB) => {
  let transfer = startTransfer(total, 0);
  for (let tenth = 1; tenth <= seconds * 10; tenth++)
    transfer = advance(transfer, { sent: (tenth * rate) / 10, total }, tenth * 100);
  return transfer;
};

test('a steady upload', () => {
  const transfer = after(5, MB);
  assert.equal(percentOf(transfer), 50);
  assert.ok(Math.abs((speedOf(transfer, 5000) ?? 0) - MB) < MB / 50);
  assert.ok(Math.abs((uploadTimeLeft(transfer, speedOf(transfer, 5000)) ?? 0) - 5000) < 150);
});

test('samples do not pile up', () => {
  assert.ok(after(600, 1000).samples.length < 50);
});

test('nothing is claimed at the beginning', () => {
  assert.equal(speedOf(startTransfer(10, 0), 0), undefined);
  assert.equal(speedOf(advance(startTransfer(10, 0), { sent: 5, total: 10 }, 100), 100), undefined);
  assert.equal(uploadTimeLeft(startTransfer(10, 0), undefined), undefined);
});

test('100 % only when every byte is on its way', () => {
  const almost = advance(startTransfer(1000, 0), { sent: 999, total: 1000 }, 1);
  assert.equal(percentOf(almost), 99);
  assert.equal(percentOf(advance(almost, { sent: 1000, total: 1000 }, 2)), 100);
  assert.equal(percentOf(startTransfer(0, 0)), 0);
});

test('a stall shows: the speed falls, and after ten seconds it is reported', () => {
  const transfer = after(2, MB);
  assert.ok((speedOf(transfer, 4000) ?? MB) < MB);
  assert.equal(speedOf(transfer, 9000), 0);
  assert.equal(uploadTimeLeft(transfer, 0), undefined);
  assert.equal(hasStalled(transfer, 11_000), false);
  assert.equal(hasStalled(transfer, 12_500), true);
  assert.equal(hasStalled(advance(transfer, { sent: 10 * MB, total: 10 * MB }, 3000), 60_000), false);
});
