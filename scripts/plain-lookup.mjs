// A rule of lint: no name from outside is looked up on a plain object, which has `constructor`, `toString` and the like before
// anything was put into it. What is annotated as Record<string, …> is a table by names: it is a Map, or is read by
// `Object.entries`. A value of unknown type is checked before it is used in any case. Run by oxlint (.oxlintrc.json).

const TABLE = /^(?:Readonly<|Partial<)*Record<string, (?!unknown>)/;
const MESSAGE =
  'This object has names that nobody put there, such as "constructor": look names up in a Map (or read the pairs by Object.entries).';

/** The variable that an identifier means. */
function variableOf(context, node) {
  for (let scope = context.sourceCode.getScope(node); scope; scope = scope.upper) {
    const found = scope.set.get(node.name);
    if (found) return found;
  }
  return undefined;
}

const annotationOf = (node) => node?.typeAnnotation?.typeAnnotation;

/** Whether a variable is annotated as a table by names. */
function isTable(context, node) {
  if (node.type !== 'Identifier') return false;
  const definition = variableOf(context, node)?.defs.at(-1);
  const name = definition?.name;
  const annotation = annotationOf(name);
  return annotation !== undefined && annotation !== null && TABLE.test(context.sourceCode.getText(annotation));
}

const isFixed = (node) => node.type === 'Literal' || (node.type === 'TemplateLiteral' && node.expressions.length === 0);

export default {
  meta: { name: 'muster' },
  rules: {
    'plain-lookup': {
      create: (context) => ({
        MemberExpression(node) {
          if (!node.computed || isFixed(node.property)) return;
          const { object } = node;
          const isCast =
            object.type === 'TSAsExpression' && TABLE.test(context.sourceCode.getText(object.typeAnnotation));
          const isGuess =
            node.property.type === 'TSAsExpression' &&
            context.sourceCode.getText(node.property.typeAnnotation).startsWith('keyof typeof ');
          if (isCast || isGuess || isTable(context, object)) context.report({ node, message: MESSAGE });
        },
        BinaryExpression(node) {
          if (node.operator === 'in' && !isFixed(node.left) && isTable(context, node.right))
            context.report({ node, message: MESSAGE });
        },
      }),
    },
  },
};
