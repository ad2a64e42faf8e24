// The parts of a pattern, as the engine reads them: what is in a class, what is quoted, and which escapes there are.
export interface Part {
  text: string;
  at: number;
  /** Between the brackets of a class. */
  inClass: boolean;
  /** Begins such a class. */
  opensClass: boolean;
}

/** Longest first: `\k<name>` before `\k`. */
const ESCAPE =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|x\{[\da-fA-F]+\}|x[\da-fA-F]{0,2}|c[A-Za-z]|[pP]\{[^}]*\}|[pP].|[kgoN](?:<[^>]*>|\{[^}]*\}|'[^']*')|g[-+]?\d+|[0-7]{1,3}|[\s\S]|$)/uy;
const QUOTED = /\\Q[\s\S]*?(?:\\E|$)/y;
const CLASS_BEGIN = /\[\^?\]?/y;
const CLASS_NAME = /\[:\^?\w*:\]/y;
const GROUP_BEGIN = /\((?:\?(?:#[^)]*\)?|P?<[A-Za-z_]\w*>|<?[=!]|P?[<'=>&]|[^)]?)|\*)?/uy;
const REPEAT = /(?:[*+?]|\{\d+(?:,\d*)?\}|\{,\d+\})[?+]?/y;
const ONE = /[\s\S]/uy;

const isClosed = (pattern: string, from: number): boolean => {
  for (let at = from; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === ']') return true;
  }
  return false;
};

/** All parts in order; together they are the pattern. A class is several: its begin, what is in it, its end. */
export function* partsOf(pattern: string): Generator<Part> {
  let inClass = false;
  for (let at = 0; at < pattern.length;) {
    const read = (form: RegExp): string => {
      form.lastIndex = at;
      return form.exec(pattern)?.[0] ?? '';
    };
    let text: string;
    if (inClass) {
      text = read(ESCAPE) || read(CLASS_NAME) || read(ONE);
      yield { text, at, inClass, opensClass: false };
      if (text === ']') inClass = false;
    } else {
      text = read(QUOTED) || read(ESCAPE) || read(CLASS_BEGIN) || read(GROUP_BEGIN) || read(REPEAT) || read(ONE);
      // `[]` and `[^]` are whole where no bracket follows: such a class is JavaScript's.
      const opensClass = text.startsWith('[') && (!text.endsWith(']') || isClosed(pattern, at + text.length));
      yield { text, at, inClass, opensClass };
      inClass = opensClass;
    }
    at += text.length;
  }
}
