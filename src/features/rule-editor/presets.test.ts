import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMarks } from '#/features/outcome-rules/read-marks.ts';
import { PRESETS } from './presets.ts';

test('the common marks find what the tools print', () => {
  const table: [tool: string, line: string, verdict: string | undefined][] = [
    ['Muster’s own update.sh', 'MUSTER-RESULT: update succeeded', 'Succeeded'],
    ['Muster’s own update.sh', 'MUSTER-RESULT: update failed, nothing was changed', 'Failed'],
    ['Muster’s own update.sh', 'MUSTER-RESULT: rolled back', 'Rolled back'],
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
    assert.equal(readMarks([{ name: 'stdout', text }], rules).found?.rule.verdict, verdict, text);
  }
});
