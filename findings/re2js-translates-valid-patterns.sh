#!/bin/sh
# re2js 2.10.0: RE2JS.translateRegExp reads every pattern as JavaScript's, also one that RE2 takes as it is.
#
# Guess: it only rewrites what RE2 lacks (\u00e9, \cI), so it can be put in front of every pattern that a person typed.
# Reality: `[^]` is complete in JavaScript and means "any character". So `[^]]+`, "anything but a bracket" for RE2, grep and
# Python, becomes "any character, then brackets", and an escape that JavaScript does not know becomes its letter. Neither is an
# error: the pattern compiles and judges other lines than before. Compile as written first, and translate what RE2 refuses.
#
# Seen:
#   [^]]+ written: matches "app", translated: does not
#   \Z    written: refused, translated: matches "Z"
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund re2js@2.10.0
cat >try.mjs <<'JS'
import assert from 'node:assert/strict';
import { RE2JS } from 're2js';

const written = (find) => RE2JS.compile(find);
const translated = (find) => RE2JS.compile(RE2JS.translateRegExp(find));

assert.equal(written('^[^]]+$').test('app'), true);
assert.equal(translated('^[^]]+$').test('app'), false);
console.log('[^]]+ written: matches "app", translated: does not');
assert.throws(() => written('\\Z'));
assert.equal(translated('\\Z').test('Z'), true);
console.log('\\Z    written: refused, translated: matches "Z"');
JS
node try.mjs
