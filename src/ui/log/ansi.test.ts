import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ansiBefore, ansiReader, nearestColour } from './ansi.ts';
import { logTextOf } from './log-text.ts';
import { withoutEscapes } from '#/contract/without-escapes.ts';
import { withoutAnsi } from './overwritten.ts';

const ESC = '\u001b';

test('splits a row at its colours and drops the codes', () => {
  assert.deepEqual(ansiReader()(`a ${ESC}[1;31mbad${ESC}[0m end`), [
    { text: 'a ', style: {} },
    { text: 'bad', style: { fg: 'red', bold: true } },
    { text: ' end', style: {} },
  ]);
});

test('a colour continues in the next rows until it is reset', () => {
  const read = ansiReader();
  assert.deepEqual(read(`${ESC}[32mone`), [{ text: 'one', style: { fg: 'green' } }]);
  assert.deepEqual(read('two'), [{ text: 'two', style: { fg: 'green' } }]);
  assert.deepEqual(read(`${ESC}[39mthree`), [{ text: 'three', style: {} }]);
});

test('palette and true colours become the nearest legible colour, bright ones the plain one', () => {
  const style = (codes: string) => ansiReader()(`${ESC}[${codes}mx`)[0]?.style;
  assert.deepEqual(style('38;5;196'), { fg: 'red' });
  assert.deepEqual(style('38;5;244'), { fg: 'grey' });
  assert.deepEqual(style('38;2;10;200;40'), { fg: 'green' });
  assert.deepEqual(style('48;5;21'), { bg: 'blue' });
  assert.deepEqual(style('93'), { fg: 'yellow' });
  assert.deepEqual(style('90'), { fg: 'grey' });
  assert.deepEqual(style('7;31'), { fg: 'white', bg: 'red' });
  assert.equal(nearestColour(255, 0, 200), 'magenta');
});

test('concealed text is shown, cursor movements are removed, and broken codes stay visible', () => {
  assert.deepEqual(ansiReader()(`${ESC}[8msecret`), [{ text: 'secret', style: {} }]);
  assert.deepEqual(ansiReader()(`${ESC}[2K${ESC}[1Aup`), [{ text: 'up', style: {} }]);
  assert.equal(withoutAnsi(`a${ESC}[31;1mb${ESC}[?25lc`), 'abc');
  assert.equal(withoutAnsi(`a${ESC}]0;title`), `a${ESC}]0;title`);
});

test('without escapes, a log has only its words, on the same lines', () => {
  const BEL = '\u0007';
  for (const [text, words] of [
    [`${ESC}[1;32mdone${ESC}[0m`, 'done'],
    [`${ESC}]0;rolled back${BEL}done`, 'done'],
    [`${ESC}]8;;https://example.org${ESC}\\log${ESC}]8;;${ESC}\\`, 'log'],
    [`${ESC}(Bro${ESC}7lled${ESC}=${ESC}M back${ESC}c`, 'rolled back'],
    [`${ESC}Pdevice${ESC}\\ok`, 'ok'],
    // Without an end it may be anything, and is not swallowed.
    [`${ESC}]0;title\nfailed`, '0;title\nfailed'],
    [`${ESC}[12`, `${ESC}[12`],
  ] as const)
    assert.equal(withoutEscapes(text), words);
});

test('text that looks like HTML stays text', () => {
  assert.deepEqual(ansiReader()('<img src=x onerror=alert(1)>'), [{ text: '<img src=x onerror=alert(1)>', style: {} }]);
});

test('the active codes at an offset are those since the last reset', () => {
  const text = `${ESC}[31mred${ESC}[0m\n${ESC}[1m${ESC}[34mblue\nstill`;
  assert.equal(ansiBefore(logTextOf([text]), text.length), `${ESC}[1m${ESC}[34m`);
  assert.equal(ansiBefore(logTextOf([text]), 0), '');
  assert.equal(ansiBefore(logTextOf(['plain\ntext']), 6), '');
});
