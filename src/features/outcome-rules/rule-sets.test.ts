import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ruleNameOf } from '#/contract/rule-name.ts';
import type { Rule } from '#/features/jobs/rule.ts';
import { parseRuleSets, printRuleSets } from './rule-sets.ts';

const readRuleSets = (text: string) => parseRuleSets(text)?.sets ?? [];

const RULE: Rule = { find: 'ok', pattern: false, caseSensitive: true, stream: 'stderr', verdict: 'Succeeded' };

test('all versions of an artifact have one name', () => {
  for (const [file, version] of [
    ['myapp_1.2.0.tar.gz', '1.2.0'],
    ['myapp_1.3.0-rc.1.tar.gz', ''],
    ['myapp-v2.0.tgz', '2.0'],
    ['myapp-7.tar.gz', '7'],
    ['myapp.sh', '1.0.0'],
  ] as const)
    assert.equal(ruleNameOf(file, version), 'myapp', file);
  assert.equal(ruleNameOf('sensor-2_firmware-1.4.0.tar.gz', '1.4.0'), 'sensor-2_firmware');
  assert.equal(ruleNameOf('sha256.sh', '1'), 'sha256');
  assert.equal(ruleNameOf('1.0.0', '1.0.0'), '1.0.0');
  assert.equal(ruleNameOf('.sh'), '.sh');
});

test('rules survive being written and read', () => {
  const sets = [{ name: '__proto__', rules: [RULE] }];
  assert.deepEqual(readRuleSets(printRuleSets(sets)), sets);
});

test('what is no rule is left out; what is no file of rules is nothing', () => {
  const text = (sets: unknown) => JSON.stringify({ format: 'muster-outcome-rules', version: 1, sets });
  for (const bad of [
    { ...RULE, find: '' },
    { ...RULE, find: 7 },
    { ...RULE, verdict: 'Great' },
    { ...RULE, stream: 'tty' },
    { ...RULE, find: 'x'.repeat(501) },
    null,
    'rule',
  ])
    assert.deepEqual(readRuleSets(text([{ name: 'a', rules: [bad, RULE] }])), [{ name: 'a', rules: [RULE] }]);
  for (const bad of [null, 3, { name: '', rules: [RULE] }, { name: 'a', rules: 'x' }, { name: 'a', rules: [] }])
    assert.deepEqual(readRuleSets(text([bad])), []);
  for (const bad of ['', 'x', '{}', '[]', 'null', '{"format":"other","sets":[]}'])
    assert.deepEqual(readRuleSets(bad), []);
  assert.equal(readRuleSets(text([{ name: 'a', rules: Array.from({ length: 80 }, () => RULE) }]))[0]?.rules.length, 50);
});
