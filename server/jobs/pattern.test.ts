import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patternOf, savingFault } from './pattern.ts';

const rule = (Find: string, CaseSensitive = true) =>
  ({ Find, CaseSensitive, Pattern: true, Stream: 'both', Verdict: 'Failed' }) as const;
const matches = (find: string, line: string, caseSensitive = true): boolean => {
  const pattern = patternOf(rule(find, caseSensitive));
  assert.notEqual(typeof pattern, 'string', find);
  return typeof pattern !== 'string' && pattern.test(line);
};

test('what the engine cannot do is refused with the part and what to do instead', () => {
  const faults: [find: string, fault: RegExp][] = [
    ['ok(?=!)', /^Look-ahead “\(\?=” cannot be used: write what follows/],
    ['ok(?!!)', /^Look-ahead “\(\?!” cannot be used/],
    ['(?<=a)b', /^Look-behind “\(\?<=” cannot be used: write what comes before/],
    ['(?<!a)b', /^Look-behind “\(\?<!” cannot be used/],
    [String.raw`(a)\1`, /^The back-reference “\\1” cannot be used: write the repeated text once more/],
    [String.raw`(?<n>a)\k<n>`, /^The back-reference “\\k<” cannot be used/],
    ['(?>a)b', /^The atomic group “\(\?>” cannot be used: write “\(\?:”/],
    ['a*+b', /^The possessive quantifier “\*\+” cannot be used/],
    ['a{2000}', /^“\{2000\}” repeats more than 1,000 times/],
    ['a(b', /^It is no pattern \(missing closing \) at “a\(b”\)$/],
    ['.*', /^This pattern matches every line$/],
    ['', /^Enter text to find in the log$/],
  ];
  for (const [find, fault] of faults) assert.match(savingFault(rule(find)) ?? 'none', fault, find);
  for (const find of [String.raw`\\1x`, String.raw`\(?=x`, '[*]+x', 'a{2}+'.slice(0, 4)])
    assert.equal(savingFault(rule(find)), undefined, find);
});

test('patterns as other engines write them are understood', () => {
  assert.ok(matches(String.raw`^\u0041(?<name>b+)\/\x43$`, 'Abb/C'));
  assert.ok(matches('[^]x', 'ax'));
  assert.ok(matches('{"state":', 'a {"state":'));
});

test('classes are about ASCII, and case about all letters, as docs/rules.md says', () => {
  assert.ok(!matches(String.raw`\d`, '٣') && !matches(String.raw`\w`, 'é') && !matches(String.raw`\s`, '\u00a0'));
  assert.ok(matches(String.raw`^\p{L}+$`, 'Größe') && matches('^.$', '😀'));
  assert.ok(matches('größe', 'GRÖSSE'.replace('SS', 'ẞ'), false) && matches('ΣΑΣ', 'σας', false));
  assert.ok(!matches('i', 'İ', false) && !matches('größe', 'GRÖẞE'));
});
