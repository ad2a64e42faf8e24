import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateWriter, numberWriter } from './locale.ts';

const at = new Date('2026-05-12T20:05:09Z');
const CLOCK = { hour: '2-digit', minute: '2-digit', timeZone: 'Europe/Berlin' } as const;
const FULL = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
  timeZone: 'Europe/Berlin',
} as const;

const full = (locale: string) => dateWriter(locale, FULL)(at);
const dayClock = (locale: string) => dateWriter(locale, { weekday: 'short', ...CLOCK })(at);
const dateClock = (locale: string) => dateWriter(locale, { month: 'short', day: 'numeric', ...CLOCK })(at);

for (const [locale, ...expected] of [
  ['en-US', 'May 12, 2026, 10:05:09 PM GMT+2', 'Tue 10:05 PM', 'May 12, 10:05 PM'],
  ['en-GB', '12 May 2026, 22:05:09 CEST', 'Tue 22:05', '12 May, 22:05'],
  ['de-DE', '12. May 2026, 22:05:09 GMT+2', 'Tue, 22:05', '12. May, 22:05'],
  ['ja-JP', '2026 May 12 22:05:09 GMT+2', '22:05 (Tue)', 'May 12 22:05'],
  ['ar-EG', '12 May 2026, 10:05:09 PM GMT+2', 'Tue 10:05 PM', '12 May, 10:05 PM'],
  ['pt-BR', '12 May 2026, 22:05:09 GMT+2', 'Tue, 22:05', '12 May, 22:05'],
  ['ko-KR', '2026 May 12 PM 10:05:09 GMT+2', '(Tue) PM 10:05', 'May 12 PM 10:05'],
  ['zh-TW', '2026 May 12 PM 10:05:09 [GMT+2]', 'Tue PM 10:05', 'May 12 PM 10:05'],
  ['th-TH', '12 May 2026 22:05:09 GMT+2', 'Tue 22:05', '12 May 22:05'],
] as const)
  test(`dates of ${locale} are in its order and with its separators, in English words and Latin digits`, () => {
    assert.deepEqual([full(locale), dayClock(locale), dateClock(locale)], expected);
  });

test('dates have English words in every locale that the browser knows', () => {
  const locales = ['ar', 'bg', 'cs', 'da', 'el', 'es', 'eu', 'fa-IR', 'fi', 'fr', 'he', 'hi', 'hu', 'it', 'lt', 'mr'];
  locales.push('my', 'nl', 'pl', 'ro', 'ru', 'sv', 'sw', 'ta', 'tr', 'uk', 'vi', 'zh-CN', 'ar-SA', 'ne');
  for (const locale of locales)
    for (const text of [full(locale), dayClock(locale), dateClock(locale)])
      assert.deepEqual(
        [
          /^[\x20-\x7e]+$/.test(text),
          text.match(/[A-Za-z]+/g)?.filter((word) => !/^(May|Tue|AM|PM|GMT|CES?T)$/.test(word)),
        ],
        [true, []],
        `${locale}: ${text}`,
      );
});

test('numbers have the separators of the locale and Latin digits', () => {
  const tenths = (locale: string) => numberWriter(locale, { minimumFractionDigits: 1 })(12_345.5);
  assert.equal(tenths('en-US'), '12,345.5');
  assert.equal(tenths('en-GB'), '12,345.5');
  assert.equal(tenths('de-DE'), '12.345,5');
  assert.equal(tenths('ja-JP'), '12,345.5');
  assert.equal(tenths('ar-EG'), '12,345.5');
  assert.equal(numberWriter('ar-EG', { style: 'percent' })(0.5), '50%');
});
