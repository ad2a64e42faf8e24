import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneOf, optional, positive, plainText, urlSchema } from './url-schema.ts';

const list = { read: (params: URLSearchParams) => params.getAll('tag'), write };
function write(params: URLSearchParams, _: string, tags: string[]) {
  params.delete('tag');
  for (const tag of tags) params.append('tag', tag);
}
const schema = urlSchema({
  name: plainText,
  dialog: optional,
  within: positive,
  state: oneOf(['Running', 'Failed']),
  days: oneOf([1, 7, 30], 7),
  tags: list,
});
const NOTHING = { name: '', dialog: undefined, within: undefined, state: undefined, days: 7, tags: [] };

test('a URL without parameters has the defaults', () => {
  assert.deepEqual(schema.read(''), NOTHING);
  assert.deepEqual(schema.defaults, NOTHING);
});

test('each part is read', () => {
  assert.deepEqual(schema.read('?name=a+b&dialog=add&within=24&state=failed&days=30&tag=x&tag=y&other=1'), {
    name: 'a b',
    dialog: 'add',
    within: 24,
    state: 'Failed',
    days: 30,
    tags: ['x', 'y'],
  });
});

test('an invalid value counts as missing', () => {
  assert.deepEqual(schema.read('within=-1&state=lost&days=8'), NOTHING);
  assert.deepEqual(schema.read('within=soon&state=&days='), NOTHING);
});

test('a change keeps all other parameters, even foreign ones, and their order', () => {
  assert.equal(schema.change('name=a&other=1&state=Failed', { name: 'b' }), 'name=b&other=1&state=Failed');
  assert.equal(schema.change('?other=1', { state: 'Running', dialog: 'add' }), 'other=1&dialog=add&state=Running');
});

test('defaults are not written', () => {
  assert.equal(schema.change('name=a&state=Failed&days=30&other=1', schema.defaults), 'other=1');
});

test('a written state reads back as the same', () => {
  const state = { name: 'a&b=c ü %', dialog: 'x', within: 1, state: 'Running', days: 1, tags: ['1', ''] } as const;
  assert.deepEqual(schema.read(schema.change('', { ...state, tags: [...state.tags] })), state);
});

test('an unchanged part is the same object', () => {
  const { tags } = schema.read('tag=a&name=x');
  assert.equal(schema.read('tag=a&name=y').tags, tags);
  assert.notEqual(schema.read('tag=b&name=y').tags, tags);
});
