import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overwritten } from './overwritten.ts';

const ESC = '\u001b';

test('what is written later covers what stood there, and a longer state shows behind a shorter one', () => {
  assert.equal(overwritten('10%\r20%\r100%'), '100%');
  assert.equal(overwritten('downloading\rdone'), 'doneloading');
  assert.equal(overwritten('50%\r'), '50%');
  assert.equal(overwritten('😀b\rx'), 'xb');
});

test('an erased line is gone', () => {
  assert.equal(overwritten(`downloading\r${ESC}[Kdone`), 'done');
  assert.equal(overwritten(`downloading\r${ESC}[2Kdone`), 'done       ');
  assert.equal(overwritten(`abc${ESC}[1Kd`), '   d');
});

test('each letter keeps the colour it was written with, and the last one goes on', () => {
  assert.equal(overwritten(`${ESC}[31mred\rg${ESC}[0m`), `${ESC}[31mgd${ESC}[0m`.replace('gd', 'ged'));
  assert.equal(overwritten(`abc\r${ESC}[32mx${ESC}[0m`), `${ESC}[32mx${ESC}[0mbc`);
  assert.equal(overwritten(`a\r${ESC}[32mb`), `${ESC}[32mb`);
});
