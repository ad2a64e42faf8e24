// Finds a text in a stream of bytes, line by line and ignoring case, however the bytes are split into chunks.
import { StringDecoder } from 'node:string_decoder';

export interface FoundLine {
  /** Counted from 1. */
  line: number;
  /** An excerpt around the match. */
  text: string;
}

/** Longer lines are searched in parts. */
const LONGEST_LINE = 64 * 1024;
const SHOWN = 240;

export class TextSearch {
  readonly #needle: string;
  readonly #most: number;
  readonly #decoder = new StringDecoder('utf8');
  readonly #lines: FoundLine[] = [];
  #hasMore = false;
  /** The current line, which may continue. */
  #rest = '';
  /** The number of the current line, and whether the text was found in it. */
  #line = 1;
  #isFound = false;

  /** `needle` must be in lower case. */
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
      const lines = text.slice(0, end);
      // Most chunks contain no match.
      if (lines.toLowerCase().includes(this.#needle)) for (const line of lines.split('\n')) this.#endLine(line);
      else {
        for (let at = lines.indexOf('\n'); at !== -1; at = lines.indexOf('\n', at + 1)) this.#line += 1;
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
    else this.#lines.push({ line: this.#line, text: excerptOf(line, at, this.#needle.length) });
  }
}

/** An excerpt of the line around an offset, which may be slightly off: some letters become two in lower case. */
function excerptOf(line: string, at: number, length: number): string {
  const from = Math.max(0, at - Math.max(0, Math.floor((SHOWN - length) / 3)));
  const shown = line.slice(from, from + SHOWN).toWellFormed();
  return `${from > 0 ? '…' : ''}${shown}${from + SHOWN < line.length ? '…' : ''}`;
}
