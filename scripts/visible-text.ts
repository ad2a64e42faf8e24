// Has the build take src/ui/visible-text.ts for React's JSX runtime, in libraries too: whatever draws text draws it
// through there, so no screen can forget it.
import path from 'node:path';
import type { Plugin } from 'vite';

const RUNTIME = path.join(import.meta.dirname, '../src/ui/visible-text.ts');

export const visibleText = (): Plugin => ({
  name: 'visible-text',
  apply: 'build',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^react\/jsx-runtime$/ },
    handler: (_, importer) => (importer && path.resolve(importer) === RUNTIME ? null : RUNTIME),
  },
});
