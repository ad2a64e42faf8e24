import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { readTzif } from './tzif.ts';
import { offsetsOf } from './windows.ts';
import { zoneDataOf, type ZoneSource } from './zone-data.ts';

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);

/** A file as zic writes it: the times of changes, each to an offset in hours, and what holds after them. */
function tzif(changes: readonly [at: string, hours: number][], footer: string, first = 0): Buffer {
  const block = (size: 4 | 8) => {
    const hours = [first, ...changes.map(([, each]) => each)];
    const header = Buffer.alloc(44);
    header.write('TZif2', 'latin1');
    for (const [field, count] of [0, 0, 0, changes.length, hours.length, 4].entries())
      header.writeUInt32BE(count, 20 + field * 4);
    const times = Buffer.alloc(changes.length * size);
    for (const [index, [when]] of changes.entries())
      if (size === 8) times.writeBigInt64BE(BigInt(at(when) / 1000), index * 8);
      else times.writeInt32BE(at(when) / 1000, index * 4);
    const types = Buffer.from(changes.map((_, index) => index + 1));
    const infos = Buffer.concat(
      hours.map((each) => {
        const info = Buffer.alloc(6);
        info.writeInt32BE(each * 3600);
        return info;
      }),
    );
    return Buffer.concat([header, times, types, infos, Buffer.from('UTC\0')]);
  };
  return Buffer.concat([block(4), block(8), Buffer.from(`\n${footer}\n`)]);
}

function withZones(
  act: (source: ZoneSource, write: (name: string, content: string | Buffer) => void) => Promise<void>,
) {
  const folder = mkdtempSync(path.join(tmpdir(), 'zones-'));
  const write = (name: string, content: string | Buffer) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  };
  const offsetsIn: ZoneSource['offsetsIn'] = () => readTzif(tzif([], 'CST6CDT,M3.2.0,M11.1.0'));
  return act({ version: '2026c', offsetsIn, folder }, write).finally(() => rmSync(folder, { recursive: true }));
}
const windowIn = (Zone: string) => ({ Days: ['Mon' as const], From: '22:00', To: '23:00', Zone });

test('a file gives the offsets of its changes, and after them those of its rule', () => {
  const offsets = readTzif(
    tzif(
      [
        ['2026-03-08T08:00:00Z', -5],
        ['2026-11-01T07:00:00Z', -6],
      ],
      'CST6CDT,M3.2.0,M11.1.0',
      -6,
    ),
  );
  const expected: [when: string, hours: number][] = [
    ['1970-01-01T00:00:00Z', -6],
    ['2026-03-08T07:59:59Z', -6],
    ['2026-03-08T08:00:00Z', -5],
    ['2026-11-01T06:59:59Z', -5],
    ['2026-11-01T07:00:00Z', -6],
    ['2027-03-14T07:59:59Z', -6],
    ['2027-03-14T08:00:00Z', -5],
    ['2027-11-07T06:59:59Z', -5],
    ['2027-11-07T07:00:00Z', -6],
  ];
  for (const [when, hours] of expected) assert.equal(offsets(at(when)), hours * HOUR, when);
});

test('the rule after the last change is read in all its forms, as Node.js reads these zones', () => {
  const zones: [zone: string, footer: string][] = [
    ['Europe/Berlin', 'CET-1CEST,M3.5.0,M10.5.0/3'],
    ['Australia/Sydney', 'AEST-10AEDT,M10.1.0,M4.1.0/3'],
    ['Australia/Lord_Howe', '<+1030>-10:30<+11>-11,M10.1.0,M4.1.0'],
    ['America/Nuuk', '<-02>2<-01>,M3.5.0/-1,M10.5.0/0'],
    ['Asia/Kolkata', 'IST-5:30'],
    ['Asia/Jerusalem', 'IST-2IDT,M3.4.4/26,M10.5.0'],
  ];
  for (const [zone, footer] of zones) {
    const [own, read] = [offsetsOf(zone), readTzif(tzif([], footer))];
    for (let when = at('2025-01-01T00:30:00Z'); when < at('2027-01-01T00:00:00Z'); when += 24 * HOUR)
      assert.equal(read(when), own(when), `${zone} at ${new Date(when).toISOString()}`);
  }
  const days = (footer: string) => readTzif(tzif([], footer));
  assert.equal(days('AAA0BBB,J60/0,J61/0')(at('2028-03-01T12:00:00Z')), HOUR);
  assert.equal(days('AAA0BBB,59/0,60/0')(at('2028-02-29T12:00:00Z')), HOUR);
  assert.equal(days('AAA0BBB,59/0,60/0')(at('2027-03-01T12:00:00Z')), HOUR);
});

test('what is no such file, or ends too early, is refused', () => {
  const file = tzif([['2026-03-08T08:00:00Z', -5]], 'EST5');
  const odd = tzif([], 'EST5EDT,J400x');
  for (const broken of [
    Buffer.from('# tzdb'),
    Buffer.alloc(0),
    file.subarray(0, 70),
    file.subarray(0, 120),
    file.subarray(0, -1),
    odd,
  ])
    assert.throws(() => readTzif(broken));
});

test('a zone that newer data of the system reads differently within a year is named, with since when and how much', () =>
  withZones(async (source, write) => {
    write('tzdata.zi', '# version 2026f\n# redo posix_only\n');
    // Winnipeg stays at UTC-5, as in 2026f.
    write('America/Winnipeg', tzif([], 'EST5'));
    write('America/Chicago', tzif([], 'CST6CDT,M3.2.0,M11.1.0'));
    write('America/Broken', 'no zone');
    const windows = ['America/Winnipeg', 'America/Chicago', 'America/Broken', 'America/Missing', '../etc'].map(
      windowIn,
    );
    const zones = (now: string) => zoneDataOf(windows, at(now), source);
    const outdated = { Zone: 'America/Winnipeg', Version: '2026f', Minutes: 60 };
    assert.deepEqual(await zones('2026-08-01T00:00:30Z'), {
      Zones: { Version: '2026c', Outdated: [{ ...outdated, Since: '2026-11-01T07:00:00.000+00:00' }] },
    });
    assert.deepEqual((await zones('2026-12-01T00:00:00Z')).Zones?.Outdated, [
      { ...outdated, Since: '2026-11-01T07:00:00.000+00:00' },
    ]);
  }));

test('data of the system that is not newer, or of unknown version, gives no warning', () =>
  withZones(async (source, write) => {
    write('America/Winnipeg', tzif([], 'EST5'));
    let now = at('2026-12-01T00:00:00Z');
    const outdated = async (version: string) => {
      const { Zones } = await zoneDataOf([windowIn('America/Winnipeg')], (now += 24 * HOUR), { ...source, version });
      return Zones?.Outdated.map(({ Version }) => Version);
    };
    assert.deepEqual(await outdated('2026c'), []);
    write('tzdata.zi', '# version unknown\n');
    assert.deepEqual(await outdated('2026c'), []);
    write('+VERSION', '2026c\n');
    assert.deepEqual(await outdated('2026c'), []);
    assert.deepEqual(await outdated('2027a'), []);
    assert.deepEqual(await outdated('2025z'), ['2026c']);
    write('+VERSION', '2026aa\n');
    assert.deepEqual(await outdated('2026z'), ['2026aa']);
  }));

test('without windows there is nothing to say; with some, the version is that of Node.js', async () => {
  assert.deepEqual(await zoneDataOf(undefined, 0), {});
  assert.deepEqual(await zoneDataOf([], 0), {});
  const { Zones } = await zoneDataOf([windowIn('UTC')], Date.now());
  assert.deepEqual(Zones, { Version: process.versions.tz, Outdated: [] });
});
