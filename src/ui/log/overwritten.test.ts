import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overwritten } from './overwritten.ts';

const ESC = '\u001b';

test('later text covers earlier text, and the rest of a longer state shows behind a shorter one', () => {
  assert.equal(overwritten('10%\r20%\r100%'), '100%');
  assert.equal(overwritten('step 10 of 20\rstep 9'), 'step 90 of 20');
  assert.equal(overwritten('50%\r'), '50%');
  assert.equal(overwritten('😀b\rx'), 'xb');
});

test('a covered state that begins with another word is shown too', () => {
  assert.equal(overwritten('ok\rFAILED'), 'ok␍FAILED');
  assert.equal(overwritten('FAILED to mount\rok'), 'FAILED to mount␍ok');
  assert.equal(overwritten(`failed\r${ESC}[2K${ESC}[32mok${ESC}[0m`), `failed␍${ESC}[32mok${ESC}[0m`);
  assert.equal(overwritten('ok\r'), 'ok');
  assert.equal(overwritten('| waiting\r/ waiting\rdone'), '/ waiting␍done');
  assert.equal(overwritten('Reading lists… 5 %\rReading lists… Done'), 'Reading lists… Done');
});

test('an erased line is gone', () => {
  assert.equal(overwritten(`step one\r${ESC}[Kstep 2`), 'step 2');
  assert.equal(overwritten(`step one\r${ESC}[2Kstep 2`), 'step 2  ');
  assert.equal(overwritten(`abc${ESC}[1Kd`), '   d');
});

test('each character keeps its colour, and the last colour continues', () => {
  assert.equal(overwritten(`${ESC}[31m1 2 3\r4${ESC}[0m`), `${ESC}[31m4 2 3${ESC}[0m`);
  assert.equal(overwritten(`123\r${ESC}[32m4${ESC}[0m`), `${ESC}[32m4${ESC}[0m23`);
  assert.equal(overwritten(`a\r${ESC}[32mb`), `${ESC}[32mb`);
});
