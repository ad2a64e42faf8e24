import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine, csvText, delimiterOf, listCell, plainCell, readCsv, readListCell } from './csv.ts';

const cells = (text: string, delimiter?: string) => readCsv(text, delimiter).map((row) => row.cells);

test('formulas become text, and numbers stay numbers', () => {
  assert.equal(csvLine(['=cmd()', '+1+1', '-2+3', '@SUM(A1)']), "'=cmd(),'+1+1,'-2+3,'@SUM(A1)\r\n");
  assert.equal(csvLine(['\t=1', '\r=1']), `"'\t'=1","'\r'=1"\r\n`);
  assert.equal(csvLine(['＝1+1', '＠SUM(A1)', '\0=1']), "'＝1+1,'＠SUM(A1),'\0=1\r\n");
  assert.equal(csvLine(['-33.8688', '151.2', '-7']), '-33.8688,151.2,-7\r\n');
  assert.equal(csvLine(['a=b', "it's", 'mail@example.com']), "a=b,it's,mail@example.com\r\n");
});

test('a formula after a semicolon or line end inside a value becomes text too', () => {
  assert.equal(
    csvLine(['x;=1+1', 'y\n@SUM(A1)', 'z;-5', 'a; b', 'c;"=1']),
    `"x;'=1+1","y\n'@SUM(A1)","z;'-5","a; b","c;'""=1"\r\n`,
  );
  for (const value of ['x;=1', "x;'=1", "x;''+\t=1\r\n=", '\t\t=', ';;-1', 'x;"=1', `x;'"=1`])
    assert.equal(plainCell(cells(csvLine([value, 'end']), ',')[0]?.[0] ?? ''), value);
});

test('quotes, delimiters and line ends are quoted', () => {
  assert.equal(
    csvLine(['say "hi"', 'a,b', 'two\nlines', '', ' blank ']),
    '"say ""hi""","a,b","two\nlines",," blank "\r\n',
  );
  assert.equal(csvText([['a'], ['b']]), '\uFEFFa\r\nb\r\n');
});

test('written CSV is read back', () => {
  const hostile = [
    ['name', 'note'],
    ['=HYPERLINK("x")', 'line\r\nline'],
    ['-1+2', '"'],
    ['a;b\tc', '  '],
    ["'=was quoted", "'s"],
    ['', 'ünïcode 東京 🛰'],
  ];
  const read = cells(csvText(hostile)).map((row) => row.map(plainCell));
  assert.deepEqual(read, hostile);
});

test('reads the files of other programs', () => {
  assert.deepEqual(cells('\uFEFFname;group\r\npump;"a;b"\r\n'), [
    ['name', 'group'],
    ['pump', 'a;b'],
  ]);
  assert.deepEqual(cells('name\tgroup\npump, big\tnorth'), [
    ['name', 'group'],
    ['pump, big', 'north'],
  ]);
  assert.deepEqual(cells('a,b\rc,d\r'), [
    ['a', 'b'],
    ['c', 'd'],
  ]);
  assert.deepEqual(cells('a,b,\n\n , \nc'), [['a', 'b', ''], ['c']]);
  assert.deepEqual(cells('a,'), [['a', '']]);
  assert.deepEqual(cells('"a" , "b"'), [['a', 'b']]);
  assert.deepEqual(cells('5" nail,x'), [['5" nail', 'x']]);
  assert.deepEqual(cells('one column\ntwo'), [['one column'], ['two']]);
  assert.deepEqual(cells(''), []);
  assert.deepEqual(cells('"never ends,\nx'), [['never ends,\nx']]);
});

test('rows have the number of the line they begin on', () => {
  assert.deepEqual(
    readCsv('h\n"two\nlines"\n\nlast').map(({ line }) => line),
    [1, 2, 5],
  );
});

test('a declared delimiter counts, and its line is not a row', () => {
  assert.deepEqual(readCsv('\uFEFFsep=;\r\na,b;c\r\n\r\nd;e'), [
    { line: 2, cells: ['a,b', 'c'] },
    { line: 4, cells: ['d', 'e'] },
  ]);
  assert.equal(delimiterOf('sep=|\na;b;c'), '|');
  assert.deepEqual(cells('sep=;\n'), []);
  // Only on the first line, and only one character.
  assert.deepEqual(cells('a,b\nsep=;,c'), [
    ['a', 'b'],
    ['sep=;', 'c'],
  ]);
  assert.deepEqual(cells('sep=ab,c'), [['sep=ab', 'c']]);
});

test('a cell of several values', () => {
  assert.equal(
    listCell(['edge', 'a;b', 'c|d', 'C:\\dir', 'end\\', ' x']),
    'edge; a\\;b; c\\|d; C:\\dir; end\\\\; \\u0020x',
  );
  assert.deepEqual(readListCell(' ; |a;;b| a'), ['a', 'b']);
  assert.deepEqual(readListCell('north|C:\\dir;\\\\;'), ['north', 'C:\\dir', '\\']);
});

test('the delimiter is the most frequent one in the first line, outside quotes', () => {
  assert.equal(delimiterOf('a;b;c,d'), ';');
  assert.equal(delimiterOf('"a;b;c;d",e'), ',');
  assert.equal(delimiterOf('a\tb'), '\t');
  assert.equal(delimiterOf('alone'), ',');
});
