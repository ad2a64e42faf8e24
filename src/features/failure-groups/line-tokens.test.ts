import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareLine, keyOf, tokensOf } from './line-tokens.ts';

/** The line with what varies as its kind. */
const shape = (line: string, names: string[] = []) =>
  tokensOf(line, names)
    .map(({ text, varies, spaced }) => `${spaced ? ' ' : ''}${varies ? `<${varies}>` : text}`)
    .join('');

test('what differs between devices is separated from the wording', () => {
  const lines: [string, string][] = [
    ['write /var/lib/firmware-2.4.img: No space left on device', 'write <path>: No space left on device'],
    ["tar: ./data/a b: Cannot open '/x'.", "tar: <path> b: Cannot open '<path>'."],
    ['downloaded 1,204.5 of 9000 kB (13%)', 'downloaded <number> of <number> kB (<number>%)'],
    ['job 7f3c9a2b-1111-2222-3333-444455556666 at 0x7fff0a', 'job <id> at <id>'],
    ['commit 3f2a9bc1 of deadbeef and cafe', 'commit <id> of deadbeef and cafe'],
    ['from 10.0.0.17:8080 to fe80::1 via aa:bb:cc:dd:ee:ff', 'from <address> to <address> via <address>'],
    ['GET https://x.example/a?b=1, retrying', 'GET <address>, retrying'],
    ['at 2026-11-21T18:38:02.123Z and Nov 2, 2026 10:00:01', 'at <time> and <time>'],
    ['C:\\Program\\a.exe crashed', '<path> crashed'],
    ['Input/output error, I/O error, and/or', 'Input/output error, I/O error, and/or'],
    ['/dev/sda1 is 97% full, sdb2 too', '<path> is <number>% full, sdb<number> too'],
    ['Gerät nicht gefunden: größer als 5', 'Gerät nicht gefunden: größer als <number>'],
  ];
  for (const [line, expected] of lines) assert.equal(shape(line), expected);
});

test('short hexadecimal values, ports, times in seconds and part numbers vary', () => {
  const lines: [string, string][] = [
    ['sensor answered 3f instead of 0a', 'sensor answered <id> instead of <id>'],
    ['crc 1a2b expected, got 99fe', 'crc <id> expected, got <id>'],
    ['crc beef, checksum: cafe', 'crc <id>, checksum: <id>'],
    ['connect to gw.example port 8443: refused', 'connect to gw.example port <number>: refused'],
    ['dial gw:443 and [10.0.0.1]:22', 'dial gw:<number> and [<address>]:<number>'],
    ['timed out after 30s, 1m30s, 1.5s and 250ms', 'timed out after <number>, <number>, <number> and <number>'],
    ['no answer in 1 second', 'no answer in <number>'],
    ['Error: 30 seconds without answer', 'Error: <number> without answer'],
    ['error: 12 bytes left, 97 % full', 'error: <number> bytes left, <number> % full'],
    ['part 700-1234-AB (SN4711A2) is too old', 'part <id> (<id>) is too old'],
    ['module BX-4711 rejected', 'module <id> rejected'],
  ];
  for (const [line, expected] of lines) assert.equal(shape(line), expected);
});

test('names with digits are words', () => {
  const line = 'SHA-256 of x86-64 and UTF-8, EXT4-fs, CVE-2026-1234, fault E12, I2C';
  assert.doesNotMatch(shape(line), /<id>/);
});

test('a value of digits only is the same wording as one with letters', () => {
  assert.equal(keyOf(tokensOf('crc 1234 read')), keyOf(tokensOf('crc 12ab read')));
});

test('a number that distinguishes errors stays', () => {
  assert.equal(shape('The requested URL returned error: 404'), 'The requested URL returned error: 404');
  assert.equal(shape('HTTP/1.1 503 after 12 s'), 'HTTP/<number> 503 after <number> s');
  assert.equal(shape('exited with code 137'), 'exited with code <number>'.replace('<number>', '137'));
});

test("the device's own name varies, as a word of its own only", () => {
  assert.equal(shape('unit-7: unit-70 and UNIT-7 failed', ['unit-7']), '<name>: unit-<number> and <name> failed');
  assert.equal(keyOf(tokensOf('pump süd: down', ['pump süd'])), keyOf(tokensOf('Valve: down', ['valve'])));
});

test('times and the position in a script are removed from the beginning', () => {
  assert.equal(bareLine('./update.sh: line 12: tar: command not found'), 'tar: command not found');
  assert.equal(bareLine('sh: 1: foo: not found'), 'foo: not found');
  assert.equal(bareLine('./u.sh: Zeile 3: foo: Kommando nicht gefunden.'), 'foo: Kommando nicht gefunden.');
  assert.equal(bareLine('2026-11-21 18:38:02,123 ERROR no disk'), 'ERROR no disk');
  assert.equal(bareLine('[  123.456789] EXT4-fs error'), 'EXT4-fs error');
  assert.equal(bareLine('[18:38:02] Nov  2 10:00:01 kiosk failed'), 'kiosk failed');
});

// A pattern that backtracks over such a line would exceed the time limit of a test.
test('no line takes long, however it is composed', () => {
  for (const part of ['a-', 'a/', '1:', 'f:', '.', '/', 'a.a', '0x', 'a1-', '1m', 'ms', '\\', '[', 'é', '1,', 'Jan '])
    assert.ok(tokensOf(part.repeat(200), ['aa']).length > 0);
});
