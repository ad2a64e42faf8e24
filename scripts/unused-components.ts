// Lets the build leave out components of libraries that nothing uses: of the router, forms and the restoration of scrolling.
// The name that a component gets for development tools would count as a use, and the call that makes it as an effect.
import type { Plugin } from 'vite';

const NAMED = /^[\w$]+\.displayName = (["'])[^"'\n]*\1;$/gm;
const MADE = /^((?:export )?(?:const|var|let) [\w$]+ = )((?:[\w$]+\.)?(?:forwardRef|memo|createContext)\()/gm;

/** The same code without these names and with each such call marked as pure; undefined where there is none. */
export function withUnusedComponents(code: string): string | undefined {
  const marked = code.replace(NAMED, '').replace(MADE, '$1/* @__PURE__ */ $2');
  return marked === code ? undefined : marked;
}

export const unusedComponents = (): Plugin => ({
  name: 'unused-components',
  apply: 'build',
  transform: {
    filter: { id: /\/node_modules\// },
    handler(code) {
      const marked = withUnusedComponents(code);
      return marked === undefined ? null : { code: marked, map: null };
    },
  },
});
