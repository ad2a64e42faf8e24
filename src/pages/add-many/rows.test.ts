import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvText } from '#/contract/csv.ts';
import { licenceText, planOf, planText } from './plan.ts';
import { checkRow, hasError } from './row-check.ts';
import { COLUMNS, MOST_ROWS, edited, newRow, parseRows, type Cells } from './rows.ts';

const cellsOf = (text: string) => parseRows(text).rows.map(({ cells }) => COLUMNS.map((column) => cells[column]));
const nobody = {
  names: new Set<string>(),
  shared: { group: [], customer: [], site: [], tags: [] },
  ids: new Set<string>(),
  deviceOf: () => undefined,
  locationOf: () => undefined,
};
const errorsOf = (cells: Partial<Cells>) => checkRow(newRow({ name: 'x', ...cells })).errors;

test('columns are in order, or the first row names them', () => {
  assert.deepEqual(cellsOf('pump,north,ACME,Hall 1,52.5,13.4,a;b'), [
    ['pump', 'north', 'ACME', 'Hall 1', '52.5', '13.4', 'a;b'],
  ]);
  assert.deepEqual(cellsOf('Group;Device Name;Longitude\nnorth;pump;13,4'), [
    ['pump', 'north', '', '', '', '13,4', ''],
  ]);
  assert.deepEqual(cellsOf('name\npump\nfan'), [
    ['pump', '', '', '', '', '', ''],
    ['fan', '', '', '', '', '', ''],
  ]);
  assert.deepEqual(cellsOf('name\tgroup\npump, big\tnorth'), [['pump, big', 'north', '', '', '', '', '']]);
  assert.deepEqual(cellsOf('pump,north,,,,,a;b;c;d;e;f;g;h;i')[0]?.[6], 'a;b;c;d;e;f;g;h;i');
});

test('hostile cells are read as intended', () => {
  const hostile = [
    '=HYPERLINK("http://x","y")',
    '-1+2',
    '"quoted"',
    'a,b',
    '<img src=x onerror=alert(1)>',
    'ünïcode 東京',
    '@SUM(A1)',
  ];
  assert.deepEqual(
    cellsOf(csvText(hostile.map((name) => [name, 'g']))).map(([name]) => name),
    hostile,
  );
  assert.deepEqual(cellsOf('"two\r\nlines",g')[0]?.[0], 'two lines');
});

test('unused parts are named, and a text without rows is refused', () => {
  assert.deepEqual(parseRows('name,colour,name\na,red,b').notes, ['Not used: the columns "colour", "name".']);
  assert.deepEqual(parseRows('a,,,,,,,extra').notes, ['One row has cells beyond the last column; they are not used.']);
  assert.throws(() => parseRows(' \n\n'), /no row/);
  assert.throws(() => parseRows('name,group\n'), /no devices/);
  assert.throws(() => parseRows('group,site\na,b'), /none of them is "name"/);
  assert.throws(() => parseRows('x\n'.repeat(MOST_ROWS + 1)), /split the list/);
});

test('errors are shown at their cells', () => {
  assert.deepEqual(errorsOf({ name: '  ' }), { name: 'Must not be empty' });
  assert.deepEqual(
    errorsOf({ name: 'n'.repeat(256), group: 'g'.repeat(256), customer: 'c'.repeat(256), site: 's'.repeat(256) }),
    {
      name: 'Must be at most 255 characters long',
      group: 'Must be at most 255 characters long',
      customer: 'Must be at most 255 characters long',
      site: 'Must be at most 255 characters long',
    },
  );
  assert.deepEqual(errorsOf({ lat: '91', lng: 'east' }), {
    lat: 'Must be between -90 and 90',
    lng: 'Must be a number',
  });
  assert.deepEqual(errorsOf({ lat: '1' }), { lng: 'Missing: enter both or neither' });
  assert.deepEqual(errorsOf({ lng: '200' }), {
    lat: 'Missing: enter both or neither',
    lng: 'Must be between -180 and 180',
  });
  assert.deepEqual(errorsOf({ tags: 'ok; ..' }), { tags: 'The tag ".." must not be "." or ".."' });
  assert.deepEqual(errorsOf({ lat: '-33,8688', lng: '151.2' }), {});
});

test('sent values are trimmed and typed; 0, 0 is no location', () => {
  const { device, warnings } = checkRow(newRow({ name: ' a ', lat: '0', lng: '0', tags: 'x | y;x' }));
  assert.deepEqual(device, { name: 'a', group: '', customer: '', site: '', position: undefined, tags: ['x', 'y'] });
  assert.deepEqual(warnings, { lat: '0, 0 counts as no location' });
  assert.deepEqual(checkRow(newRow({ name: 'a', lat: '-33,8', lng: '151.2' })).device.position, {
    Lat: -33.8,
    Lng: 151.2,
  });
});

test('the plan counts, warns about names and reports the limit of the licence', () => {
  const rows = [
    newRow({ name: 'pump' }),
    newRow({ name: 'Pump' }),
    newRow({ name: 'old' }),
    newRow({ lat: '1' }),
    newRow({ name: 'fine' }),
  ];
  const plan = planOf(rows, { ...nobody, names: new Set(['old']) }, 9_812);
  assert.deepEqual(plan.ready.length, 4);
  assert.equal(plan.warned, 3);
  assert.equal(planText(plan), '4 devices will be created, 1 row has errors and is left out; licence: 9,812 free');
  assert.equal(licenceText(plan), undefined);
  assert.deepEqual(
    rows.map((row) => plan.warningsOf(row).name),
    ['Twice in this list', 'Twice in this list', 'A device of this name exists', undefined, undefined],
  );
  assert.match(licenceText(planOf(rows, undefined, 3)) ?? '', /room for 3 of them/);
  assert.match(licenceText(planOf(rows, undefined, 0)) ?? '', /limit reached/);
  assert.equal(planText(planOf([rows[0]!], undefined, undefined)), '1 device will be created');
});

test('names and groups that look alike are named, in whichever form they are written', () => {
  const rows = [
    newRow({ name: 'Tür  Nord', group: 'Höfe' }),
    newRow({ name: 'tu\u0308r nord', group: 'Ho\u0308fe', tags: 'edge;Edge' }),
    newRow({ name: 'Tur Nord', group: 'Hofe', site: 'Hafen' }),
    newRow({ name: 'neu', group: 'Höfe', site: 'HAFEN' }),
  ];
  const fleet = { ...nobody, names: new Set(['neu']), shared: { ...nobody.shared, site: ['Hafen', 'HAFEN'] } };
  const differs = (other: string) => `“${other}” exists, and differs only in case, spaces or encoding`;
  const plan = planOf(rows, fleet, undefined);
  assert.deepEqual(rows.map(plan.warningsOf), [
    { name: 'Twice in this list' },
    { name: 'Twice in this list', group: differs('Höfe'), tags: differs('edge') },
    {},
    { name: 'A device of this name exists' },
  ]);
  assert.equal(plan.warned, 3);
});

test('the line in which a spreadsheet declares the delimiter is no device', () => {
  for (const [sign, line] of [
    [';', 'sep=;\r\n'],
    [',', 'sep=,\n'],
    ['\t', '\uFEFFSEP=\t\r\n'],
    ['\t', 'sep=\\t\n'],
    ['|', '"sep=|"\r\n'],
    [';', 'sep=;;;\r\n'],
  ] as const) {
    const text = `${line}${['name', 'group', 'tags'].join(sign)}\r\n${['pump', 'north', '"a;b"'].join(sign)}\r\n`;
    assert.deepEqual(cellsOf(text), [['pump', 'north', '', '', '', '', 'a;b']], JSON.stringify(line));
  }
});

test('an edit makes a new row with the same id', () => {
  const row = newRow();
  assert.equal(hasError(row), true);
  const next = edited(row, 'name', 'pump');
  assert.equal(next.id, row.id);
  assert.equal(hasError(next), false);
  assert.equal(hasError(row), true);
});
