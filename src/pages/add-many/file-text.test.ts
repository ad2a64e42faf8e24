import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decoded, fileText } from './file-text.ts';

test('text is decoded by its byte order mark, as UTF-8, or as Windows-1252', () => {
  assert.equal(decoded(new TextEncoder().encode('größe')), 'größe');
  assert.equal(decoded(Uint8Array.of(0x67, 0x72, 0xf6, 0xdf, 0x65)), 'größe');
  assert.equal(decoded(Uint8Array.of(0xff, 0xfe, 0x61, 0x00, 0xf6, 0x00)), 'aö');
});

test('a file that is not text of a usable size is refused with a reason', async () => {
  await assert.rejects(fileText(new File(['PK\u0003\u0004'], 'fleet.xlsx')), /fleet.xlsx is a workbook/);
  await assert.rejects(fileText(new File(['a\0b'], 'fleet.bin')), /not a text file/);
  await assert.rejects(fileText(new File([new Uint8Array(8 * 1024 * 1024 + 1)], 'big.csv')), /larger than 8 MB/);
  assert.equal(await fileText(new File(['a,b'], 'a.csv')), 'a,b');
});
