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
    [String.raw`(?<n>a)\k<n>`, /^The back-reference “\\k<n>” cannot be used/],
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

test('a pattern means what is written, as in grep -P and in Go', () => {
  const table: [find: string, found: string[], not: string[]][] = [
    [String.raw`^\[[^]]+\] FAIL`, ['[app] FAIL'], ['[app FAIL']],
    ['^[^]]+$', ['ab'], ['a]b']],
    ['[]a]', ['x]', 'xa'], ['x']],
    ['[^]a]', ['b'], ['a]']],
    ['[a]]', ['a]'], ['a']],
    ['[[]x', ['[x'], []],
    ['^[]-]+$', ['-]'], []],
    ['^[]-a]$', ['^'], []],
    ['^[a-]$', ['-'], []],
    [String.raw`^[\w-]+$`, ['a-b'], []],
    ['[[:alpha:]]', ['1a'], []],
    ['^[[:alpha:]]+$', [], ['é']],
    ['[[:digit:]]{3}', ['a123'], ['a12']],
    ['^[[:space:]]*$', ['\t '], []],
    ['^[[:upper:][:digit:]_]+$', ['A_1'], []],
    ['^[^[:space:]]+$', [], ['a b']],
    ['[[:^alpha:]]', ['a1'], []],
    ['^[[:xdigit:]]+$', ['fF0'], []],
    ['[[:punct:]]', ['a!'], []],
    [String.raw`\d+%`, ['50%'], []],
    [String.raw`\D`, [], ['1']],
    [String.raw`\bFAIL\b`, ['a FAIL.'], ['xFAIL']],
    [String.raw`\BFAIL`, ['xFAIL'], []],
    [String.raw`\s`, ['a\tb'], []],
    [String.raw`\S\s\S`, ['a b'], []],
    [String.raw`\W`, ['é'], []],
    [String.raw`\AOK\z`, ['OK'], ['OKAY']],
    [String.raw`\.`, ['a.'], ['a']],
    [String.raw`a\/b`, ['a/b'], []],
    [String.raw`\-`, ['-'], []],
    [String.raw`\"ok\"`, ['"ok"'], []],
    [String.raw`\{a\}`, ['{a}'], []],
    ['{"a":1}', ['{"a":1}'], []],
    ['a{', ['a{'], []],
    ['a{2}', ['aa'], []],
    ['^a{2,3}$', [], ['aaaa']],
    ['^a{2,}$', ['aaaa'], []],
    [String.raw`\x41\x{42}`, ['AB'], []],
    [String.raw`\t`, ['\t'], []],
    [String.raw`\012`, ['\n'], []],
    [String.raw`\x1b\[0m`, ['\u001b[0m'], []],
    [String.raw`\a`, ['\u0007'], []],
    [String.raw`\f`, ['\f'], []],
    [String.raw`[\t ]+x`, ['\tx'], []],
    [String.raw`[\]x]`, ['a]'], []],
    [String.raw`[\\]`, ['\\'], []],
    [String.raw`[\d.]+`, ['..'], []],
    [String.raw`[\s,]`, [], ['a']],
    ['[.]', [], ['a']],
    ['[$^]', ['^'], []],
    ['[*+]', ['+'], []],
    [String.raw`\Qa.b\E`, ['a.b'], ['axb']],
    [String.raw`\Q[\Ex`, ['[x'], []],
    [String.raw`\Q[^]]+`, ['[^]]+'], []],
    ['(?i)fail', ['FAIL'], []],
    ['(?i:f)ail', ['Fail'], ['FAIL']],
    ['(?-i)fail', [], ['FAIL']],
    ['(?s).', ['x'], []],
    ['(?m)^b', ['a\nb'], []],
    ['(?U)a+', ['aa'], []],
    ['(?P<n>a)b', ['ab'], []],
    ['(?<n>a)b', ['ab'], []],
    ['(?:a|b)c', ['bc'], []],
    ['^(a|b)*$', ['abba'], []],
    ['a||b', [''], []],
    ['a*?b', ['aab'], []],
    ['a??b', ['b'], []],
    ['^$', [''], []],
    ['a$', [], ['ab']],
    ['^a', [], ['ba']],
    ['^.$', ['é', '😀'], []],
    [String.raw`\p{L}`, ['é'], []],
    [String.raw`\p{Lu}`, [], ['é']],
    [String.raw`\pN`, ['5'], []],
    [String.raw`\P{L}`, [], ['é']],
    [String.raw`[\p{L}]`, ['é'], []],
    [String.raw`\p{Greek}`, ['σ'], []],
    ['[á-ö]', ['é'], []],
    [String.raw`\_`, ['_'], []],
    [String.raw`\12`, ['\n'], []],
  ];
  for (const [find, found, not] of table) {
    for (const line of found) assert.ok(matches(find, line), `${find} in ${line}`);
    for (const line of not) assert.ok(!matches(find, line), `${find} not in ${line}`);
  }
});

test('an escape or group that the engine does not know is an error with the part and what to write instead', () => {
  const faults: [find: string, fault: RegExp][] = [
    [String.raw`OK\Z`, /^The anchor “\\Z” cannot be used: write “\$” instead$/],
    [String.raw`OK\Kx`, /^The anchor “\\K” cannot be used: leave it out$/],
    [String.raw`\Gx`, /^The anchor “\\G” cannot/],
    [String.raw`^\h+x`, /^The escape “\\h” cannot be used: write “\[ \\t\]” instead$/],
    [String.raw`[\h,]x`, /^The escape “\\h” cannot be used: write a blank and “\\t” instead$/],
    [String.raw`[^]\Z]x`, /^The escape “\\Z” cannot be used: put it outside of the brackets$/],
    [String.raw`\e\[31m`, /^The escape “\\e” cannot be used: write “\\x1b” instead/],
    [String.raw`a\8`, /^The back-reference “\\8” cannot/],
    [String.raw`\g{1}x`, /^The back-reference “\\g\{1\}” cannot/],
    ['(?P<n>a)(?P=n)', /^The back-reference “\(\?P=” cannot/],
    [String.raw`a\Rb`, /^The escape “\\R” cannot be used: leave it out/],
    [String.raw`\X\N`, /^The escape “\\X” cannot be used: write “\.” instead$/],
    [String.raw`[\b]x`, /^The escape “\\b” cannot be used: write “\\x08”/],
    [String.raw`\x4 `, /^The escape “\\x4” cannot be used: write two hexadecimal digits/],
    [String.raw`\u12`, /^The escape “\\u” cannot be used: write four hexadecimal digits/],
    [String.raw`\ud83d`, /^The escape “\\ud83d” cannot/],
    [String.raw`\o{101}`, /^The escape “\\o\{101\}” cannot be used: write the character itself/],
    [String.raw`a\E`, /^The escape “\\E” cannot be used: leave it out/],
    [String.raw`\iOK`, /^The escape “\\i” is unknown: write “i” for the character itself$/],
    [String.raw`\é`, /^The escape “\\é” is unknown: write “é”/],
    ['a\\', /^The “\\” at the end escapes nothing: write “\\\\” for the character$/],
    [String.raw`\p{Script=Greek}`, /^The property “\\p\{Script=Greek\}” cannot be used: write “\\p\{Greek\}”/],
    ['(?x)a b', /^The flag “\(\?x” cannot be used: write the pattern without blanks/],
    ['a(?#why)b', /^The comment “\(\?#why\)” cannot be used: leave it out$/],
    ["(?'n'a)", /^The group “\(\?'” cannot be used: write “\(\?<name>” instead$/],
    ['(?|a)', /^The group “\(\?\|” cannot be used: write “\(\?:” instead$/],
    ['a(?1)', /^The group “\(\?1” cannot be used: repeat/],
    ['(*UTF8)a', /^The control word “\(\*” cannot/],
    ['a{2}+b', /^The possessive quantifier “\{2\}\+” cannot/],
    ['[[:foo:]]x', /^It is no pattern \(invalid character class range at “\[:foo:\]”\)$/],
    ['[*+]x(', /^It is no pattern \(missing closing \)/],
  ];
  for (const [find, fault] of faults) assert.match(savingFault(rule(find)) ?? 'none', fault, find);
});

test('what is read differently elsewhere is not saved unasked, but runs where it was saved before', () => {
  const faults: [find: string, fault: RegExp, line: string][] = [
    [String.raw`\<FAIL`, /^“\\<” is the edge of a word in grep: write “\\b” for that, or “<”/, '<FAIL'],
    ['a{,2}', /^“\{,2\}” is no repeat everywhere: write “\{0,2\}” for that, or “\\\{,2\}” for/, 'a{,2}'],
    ['[:alpha:]9', /^“\[:alpha:\]” would be a class of these letters: write “\[\[:alpha:\]\]”/, 'p9'],
  ];
  for (const [find, fault, line] of faults) {
    assert.match(savingFault(rule(find)) ?? 'none', fault, find);
    assert.ok(matches(find, line), find);
  }
  for (const find of [String.raw`\\<x`, String.raw`[\<]x`, String.raw`\Q\<\E`, '[[:alpha:]]', '{,2}', 'a[{,2}]'])
    assert.equal(savingFault(rule(find)), undefined, find);
});

test('patterns as other engines write them are understood', () => {
  assert.ok(matches(String.raw`^\u0041(?<name>b+)\/\x43$`, 'Abb/C'));
  assert.ok(matches('[^]x', 'ax'));
  // A class is read as this engine does, also beside what has to be translated.
  assert.ok(matches(String.raw`^[^]]+\u0021$`, 'ab!') && !matches(String.raw`^[^]]+\u0021$`, 'a]b!'));
  assert.ok(matches(String.raw`^[^]\u0061]$`, 'b') && !matches(String.raw`^[^]\u0061]$`, 'a'));
  assert.ok(matches(String.raw`^\u{1F600}\ud83d\ude00[\ud83d\ude00]\cI$`, '😀😀😀\t'));
  assert.ok(matches(String.raw`\Q\u0041\E\u0041`, String.raw`\u0041A`));
  assert.ok(matches('{"state":', 'a {"state":'));
});

test('classes are about ASCII, and case about all letters, as docs/rules.md says', () => {
  assert.ok(!matches(String.raw`\d`, '٣') && !matches(String.raw`\w`, 'é') && !matches(String.raw`\s`, '\u00a0'));
  assert.ok(matches(String.raw`^\p{L}+$`, 'Größe') && matches('^.$', '😀'));
  assert.ok(matches('größe', 'GRÖSSE'.replace('SS', 'ẞ'), false) && matches('ΣΑΣ', 'σας', false));
  assert.ok(!matches('i', 'İ', false) && !matches('größe', 'GRÖẞE'));
});
