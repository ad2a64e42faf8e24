// Finds a text in a stream of bytes, line by line, whatever the letter case and however the bytes are cut.
import { StringDecoder } from 'node:string_decoder';

export interface FoundLine {
  /** From 1. */
  line: number;
  /** Shortened around what was found. */
  text: string;
}

/** A longer line is searched in parts. */
const LONGEST_LINE = 64 * 1024;
const SHOWN = 240;

export class TextSearch {
  readonly #needle: string;
  readonly #most: number;
  readonly #decoder = new StringDecoder('utf8');
  readonly #lines: FoundLine[] = [];
  #hasMore = false;
  /** The last line so far, which may go on. */
  #rest = '';
  /** Its number, and whether the text was found in it. */
  #line = 1;
  #isFound = false;

  /** `needle`: in lower case. */
  constructor(needle: string, most: number) {
    this.#needle = needle;
    this.#most = most;
  }

  add(bytes: Uint8Array): void {
    this.#take(this.#decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)));
  }

  end(): { lines: FoundLine[]; hasMore: boolean } {
    this.#take(this.#decoder.end());
    this.#search(this.#rest);
    return { lines: this.#lines, hasMore: this.#hasMore };
  }

  #take(piece: string): void {
    if (this.#hasMore) return;
    const text = this.#rest + piece;
    const end = text.lastIndexOf('\n');
    if (end !== -1) {
      const whole = text.slice(0, end);
      // Most pieces have nothing.
      if (whole.toLowerCase().includes(this.#needle)) for (const line of whole.split('\n')) this.#endLine(line);
      else {
        for (let at = whole.indexOf('\n'); at !== -1; at = whole.indexOf('\n', at + 1)) this.#line += 1;
        this.#line += 1;
        this.#isFound = false;
      }
    }
    this.#rest = text.slice(end + 1);
    if (this.#rest.length <= LONGEST_LINE) return;
    this.#search(this.#rest);
    this.#rest = this.#rest.slice(-this.#needle.length);
  }

  #endLine(line: string): void {
    this.#search(line);
    this.#line += 1;
    this.#isFound = false;
  }

  #search(line: string): void {
    if (this.#isFound || this.#hasMore) return;
    const at = line.toLowerCase().indexOf(this.#needle);
    if (at === -1) return;
    this.#isFound = true;
    if (this.#lines.length >= this.#most) this.#hasMore = true;
    else this.#lines.push({ line: this.#line, text: around(line, at, this.#needle.length) });
  }
}

/** The line around an offset. Folding makes some letters two: the offset is then about right. */
function around(line: string, at: number, length: number): string {
  const from = Math.max(0, at - Math.max(0, Math.floor((SHOWN - length) / 3)));
  const shown = line.slice(from, from + SHOWN).toWellFormed();
  return `${from > 0 ? '…' : ''}${shown}${from + SHOWN < line.length ? '…' : ''}`;
}
