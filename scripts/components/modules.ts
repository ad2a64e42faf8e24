// For the component tests: lets Node import what only the bundler understands, TSX and style sheets. As in the build, React is
// the one of production, and its JSX runtime src/ui/visible-text.ts.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'rolldown/utils';

process.env['NODE_ENV'] = 'production';
const VISIBLE_TEXT = pathToFileURL(path.join(import.meta.dirname, '../../src/ui/visible-text.ts')).href;
/** Each class is named as it is in the sources. */
const CLASSES = 'export default new Proxy({}, { get: (_, name) => name });';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'react/jsx-runtime' && context.parentURL !== VISIBLE_TEXT)
      return { url: VISIBLE_TEXT, shortCircuit: true };
    if (specifier.endsWith('.css'))
      return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
    return next(specifier, context);
  },
  load(url, context, next) {
    if (url.endsWith('.css'))
      return { format: 'module', source: url.endsWith('.module.css') ? CLASSES : '', shortCircuit: true };
    if (!url.endsWith('.tsx')) return next(url, context);
    const file = fileURLToPath(url);
    const { code, errors } = transformSync(file, readFileSync(file, 'utf8'), { jsx: { runtime: 'automatic' } });
    if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
    return { format: 'module', source: code, shortCircuit: true };
  },
});
