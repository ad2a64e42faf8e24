// Presets for rules: marks that common update tools print themselves (RAUC src/main.c, SWUpdate core/stream_interface.c and
// core/notifier.c, Mender's standalone mode, apt and dpkg).
import type { Rule } from '#/contract/rules.ts';

interface Preset {
  name: string;
  rules: Rule[];
}

const text = (Verdict: Rule['Verdict'], Find: string): Rule => ({
  Find,
  Pattern: false,
  CaseSensitive: false,
  Stream: 'both',
  Verdict,
});
const pattern = (Verdict: Rule['Verdict'], Find: string): Rule => ({
  ...text(Verdict, Find),
  Pattern: true,
  CaseSensitive: true,
});

export const PRESETS: readonly Preset[] = [
  {
    name: 'Muster’s own update.sh',
    rules: [
      pattern('Succeeded', '^MUSTER-RESULT: update succeeded'),
      pattern('Failed', '^MUSTER-RESULT: update failed'),
      pattern('RolledBack', '^MUSTER-RESULT: rolled back'),
    ],
  },
  {
    name: 'RAUC',
    rules: [pattern('Succeeded', 'Installing `.*` succeeded'), pattern('Failed', 'Installing `.*` failed')],
  },
  {
    name: 'SWUpdate',
    rules: [
      text('Succeeded', 'SWUPDATE successful'),
      text('Failed', 'SWUPDATE failed'),
      text('Failed', 'Installation failed !'),
    ],
  },
  {
    name: 'Mender, standalone',
    rules: [
      pattern('Succeeded', '^Installed(?: and|, but not) committed'),
      text('Failed', 'Installation failed'),
      text('RolledBack', 'Rolled back'),
    ],
  },
  {
    name: 'apt and dpkg',
    rules: [pattern('Failed', '^E: '), text('Failed', 'dpkg: error processing')],
  },
];
