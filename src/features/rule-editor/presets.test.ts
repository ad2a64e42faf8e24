import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RE2JS } from 're2js';
import { RULE_VERDICTS, type Rule } from '#/contract/rules.ts';
import { PRESETS } from './presets.ts';

const finds = ({ Find, Pattern, CaseSensitive }: Rule, line: string): boolean =>
  Pattern
    ? RE2JS.compile(Find, CaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE).test(line)
    : line.toLowerCase().includes(Find.toLowerCase());

test('the common marks find what the tools print', () => {
  const table: [tool: string, line: string, verdict: string | undefined][] = [
    ['Muster’s own update.sh', 'MUSTER-RESULT: update succeeded', 'Succeeded'],
    ['Muster’s own update.sh', 'MUSTER-RESULT: update failed, nothing was changed', 'Failed'],
    ['Muster’s own update.sh', 'MUSTER-RESULT: rolled back', 'RolledBack'],
    ['RAUC', 'Installing `/tmp/a.raucb` succeeded', 'Succeeded'],
    ['RAUC', 'Installing `/tmp/a.raucb` failed', 'Failed'],
    ['SWUpdate', '[INFO ] : SWUPDATE successful ! SWUPDATE successful !', 'Succeeded'],
    ['SWUpdate', 'SWUPDATE failed [1]', 'Failed'],
    ['Mender, standalone', 'Installed, but not committed.', 'Succeeded'],
    ['Mender, standalone', 'Installation failed. System not modified.', 'Failed'],
    ['apt and dpkg', 'E: Unable to locate package nope', 'Failed'],
    ['apt and dpkg', '0 upgraded, 0 newly installed', undefined],
  ];
  for (const [tool, text, verdict] of table) {
    const rules = PRESETS.find(({ name }) => name === tool)?.rules ?? [];
    const found = rules.filter((rule) => finds(rule, text)).map(({ Verdict }) => Verdict);
    assert.equal(
      RULE_VERDICTS.find((each) => found.includes(each)),
      verdict,
      text,
    );
  }
});
