// The table of rules in docs/agent-protocol.md is what the conformance run checks, row by row.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ruleNames } from './rules.ts';

test('each rule of every agent has a check of its name, and each check its rule', () => {
  const page = readFileSync(new URL('../../docs/agent-protocol.md', import.meta.url), 'utf8');
  const [, section = ''] = /\n### The rules of every agent\n([^]*?)\n##/.exec(page) ?? [];
  const documented = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name);
  assert.deepEqual(documented.toSorted(), ruleNames().toSorted());
  assert.equal(new Set(documented).size, documented.length);
});
