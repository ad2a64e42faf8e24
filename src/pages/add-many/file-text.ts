// The text of an exported file, in whatever encoding the program chose.
import { UnusableRows } from './rows.ts';

const MAX_BYTES = 8 * 1024 * 1024;

/** Decodes by the byte order mark, else as UTF-8, else in the Western encoding of Windows. */
export function decoded(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Throws {@link UnusableRows} for a file that is too large or not text. */
export async function fileText(file: File): Promise<string> {
  if (file.size > MAX_BYTES)
    throw new UnusableRows(`${file.name} is larger than 8 MB. Split it into several files of up to 10,000 rows.`);
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new UnusableRows(`${file.name} cannot be read. Check that it still exists and is not a folder.`);
  }
  // "PK" marks a ZIP file, such as a spreadsheet workbook.
  if (bytes[0] === 0x50 && bytes[1] === 0x4b)
    throw new UnusableRows(
      `${file.name} is a workbook, not CSV. Save it as CSV in your spreadsheet, or copy its cells here.`,
    );
  if (bytes[0] !== 0xff && bytes[0] !== 0xfe && bytes.subarray(0, 4096).includes(0))
    throw new UnusableRows(`${file.name} is not a text file. Save it as CSV first.`);
  return decoded(bytes);
}
