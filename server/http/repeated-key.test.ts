// Which JSON texts have an object with a repeated key.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeatedKey } from './repeated-key.ts';

const cases: [json: string, key: string | undefined][] = [
  ['{"a":1,"a":2}', 'a'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{ "a" : 1 ,\n"b":{"c":[{"d":1},{"d":1,"e":[],"d":2}]}}', 'd'],
  ['{"":1,"":2}', ''],
  ['{"a\\"":1,"b":"\\\\","a\\"":2}', 'a"'],
  ['[{"a":{"a":{"a":1}}},{"a":2}]', undefined],
  ['{"a":"b","b":"a","c":["a","a"],"d":"{\\"a\\":1,\\"a\\":2}"}', undefined],
  ['{"a":"\\\\","b":"\\\\\\"","c":1}', undefined],
  ['{"__proto__":1,"constructor":2,"A":3,"a":4}', undefined],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['"a,\\"a"', undefined],
  ['null', undefined],
];

for (const [json, key] of cases)
  test(`${json.replaceAll('\n', ' ')}: ${key ?? 'none'}`, () => {
    JSON.parse(json);
    assert.equal(repeatedKey(json), key);
  });
