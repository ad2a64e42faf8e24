// What the build may leave out of libraries: components that nothing uses, and never an effect.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withUnusedComponents } from './unused-components.ts';

test('the names for development tools go, and what makes a component is marked as pure', () => {
  const code = 'const Form = React$1.forwardRef(render);\nForm.displayName = "Form";\nForm.classes = classes;\nend();';
  assert.equal(
    withUnusedComponents(code),
    'const Form = /* @__PURE__ */ React$1.forwardRef(render);\n\nForm.classes = classes;\nend();',
  );
});

test('effects, what is within a function, and a name that is computed or read stay', () => {
  const code = 'React.useEffect(run);\n  const A = memo(B);\nC.displayName = `${D.displayName}X`;\nuse(D.displayName);';
  assert.equal(withUnusedComponents(code), undefined);
});
