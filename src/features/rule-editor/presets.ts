// Marks that common update tools leave in a log, to begin with. Each is what the tool itself prints (RAUC src/main.c,
// SWUpdate core/stream_interface.c and core/notifier.c, Mender's standalone mode, apt and dpkg).
import type { Rule, Ruled } from '#/features/jobs/rule.ts';

interface Preset {
  name: string;
  rules: Rule[];
}

const text = (verdict: Ruled, find: string): Rule => ({
  find,
  pattern: false,
  caseSensitive: false,
  stream: 'both',
  verdict,
});
const pattern = (verdict: Ruled, find: string): Rule => ({
  ...text(verdict, find),
  pattern: true,
  caseSensitive: true,
});

export const PRESETS: readonly Preset[] = [
  {
    name: 'Muster’s own update.sh',
    rules: [
      pattern('Succeeded', '^MUSTER-RESULT: update succeeded'),
      pattern('Failed', '^MUSTER-RESULT: update failed'),
      pattern('Rolled back', '^MUSTER-RESULT: rolled back'),
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
      text('Rolled back', 'Rolled back'),
    ],
  },
  {
    name: 'apt and dpkg',
    rules: [pattern('Failed', '^E: '), text('Failed', 'dpkg: error processing')],
  },
];
