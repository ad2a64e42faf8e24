// The findings about scripts and programs: what no Unix device could run, and what some could not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkScript } from './script-check.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const all = (name: string, text: string, as?: 'update' | 'script') =>
  checkScript(name, bytes(text), as).map(({ level, text: message }) => `${level}: ${message}`);
const first = (name: string, text: string, as?: 'update' | 'script') => all(name, text, as)[0] ?? '';

test('good ones', () => {
  for (const line of ['/bin/sh', '/bin/sh -eu', '/usr/bin/env bash', '/usr/bin/env -S bash -e', '/bin/busybox sh'])
    assert.deepEqual(all('a.sh', `#!${line}\necho\n`), [`ok: a.sh runs with ${line}`]);
  assert.deepEqual(all('a', '#! /usr/bin/python3\n'), ['ok: a runs with /usr/bin/python3']);
});

test('line ends of Windows: an error for shells, and wherever the interpreter would not be found', () => {
  assert.match(first('a.sh', '#!/bin/sh\r\necho\r\n'), /^error: .*CRLF/);
  assert.match(first('a.sh', '#!/bin/sh\necho\r\n'), /^error: .*CRLF/);
  assert.match(first('a.py', '#!/usr/bin/python3\r\nprint()\r\n'), /^error: .*CRLF/);
  assert.match(first('a.py', '#!/usr/bin/python3\nprint()\r\n'), /^warning: .*CRLF/);
  assert.match(all('notes', 'one\r\ntwo\r\n').at(-1) ?? '', /^warning: .*CRLF/);
  assert.match(all('update.sh', 'echo\r\n', 'update').at(-1) ?? '', /^error: .*CRLF/);
});

test('interpreter lines that no system can follow', () => {
  assert.match(first('a.sh', '#!bash\n'), /^error: .*whole path/);
  assert.match(first('a.sh', '#!/usr/bin/env bash -e\n'), /^error: .*“bash -e”/);
  assert.match(first('a.sh', '#!/bin/bash -e -u\n'), /^error: .*single argument/);
  assert.match(first('a.sh', `#!/opt/${'x'.repeat(130)}/sh\n`), /^warning: .*13\d characters/);
  assert.match(first('a.sh', '\n#!/bin/sh\n'), /^warning: .*further down/);
  assert.match(first('a.sh', 'echo\n'), /^warning: .*no interpreter line/);
});

test('the wrong interpreter', () => {
  assert.match(first('a.sh', '#!/bin/sh\nif [[ -n $1 ]]; then echo; fi\n'), /uses \[\[/);
  assert.match(first('a.sh', '#!/bin/sh\nset -euo pipefail\n'), /uses pipefail/);
  assert.match(first('a.sh', '#!/bin/sh\nnames=(a b)\n'), /uses arrays/);
  assert.match(first('a.sh', '#!/bin/bash\nnames=(a b)\n'), /^ok/);
  assert.match(first('a.sh', '#!/bin/sh\necho "a=(b)" # [[ x ]]\n'), /^ok/);
  assert.match(first('a.py', '#!/bin/sh\n'), /^warning: .*python script but runs with sh/);
  assert.match(first('a.sh', '#!/usr/bin/env node\n'), /^warning: .*shell script but runs with node/);
});

test('no script at all', () => {
  assert.match(first('a.sh', '\uFEFF#!/bin/sh\n', 'update'), /^error: .*byte order mark/);
  assert.match(checkScript('a', Uint8Array.of(0xff, 0xfe, 0x23, 0))[0]?.text ?? '', /UTF-16/);
  assert.match(first('a', 'MZ\0\0'), /program for Windows/);
  assert.match(first('a', 'x\0'), /^warning: .*binary/);
  assert.match(first('a', 'x\0', 'update'), /^error: .*binary/);
  assert.match(first('a', '', 'update'), /^error: .*empty/);
  const elf = (order: number, ...machine: number[]) =>
    new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, order, ...Array<number>(12).fill(0), ...machine]);
  assert.match(checkScript('a', elf(1, 0xb7, 0))[0]?.text ?? '', /compiled program for aarch64/);
  assert.match(checkScript('a', elf(2, 0, 0x3e))[0]?.text ?? '', /compiled program for x86_64/);
});
