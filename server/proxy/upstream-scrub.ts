// Removes secrets from upstream answers: the caller's token wherever a service repeats it, and the keys of devices
// except in the answer that creates one. Stars of the same length replace them, so that Content-Length stays right.
import { Transform } from 'node:stream';

/** A shorter token is not secret, and would replace ordinary words. */
const SHORTEST = 8;
const STAR = '*';

/** All spellings of a token: as it is, in a URL, and in JSON with escaped slashes. */
function spellingsOf(token: string): string[] {
  if (token.length < SHORTEST) return [];
  return [...new Set([token, encodeURIComponent(token), token.replaceAll('/', String.raw`\/`)])];
}

/** A text without the token. */
export const withoutToken = (text: string, token: string): string =>
  spellingsOf(token).reduce((left, each) => left.replaceAll(each, STAR.repeat(each.length)), text);

/** A stream of bytes without the token, even if it spans two pieces. */
export function tokenScrubber(token: string): Transform {
  const spellings = spellingsOf(token);
  let held = '';
  /** Length of a possible beginning of the token at the end: it waits for the next piece. */
  const beginsAtEnd = (text: string): number => {
    let most = 0;
    for (const each of spellings) {
      const first = each[0] ?? '';
      let at = text.indexOf(first, Math.max(0, text.length - each.length + 1));
      while (at >= 0 && !each.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
      if (at >= 0) most = Math.max(most, text.length - at);
    }
    return most;
  };
  return new Transform({
    transform(part: Buffer, _coding, done) {
      const text = withoutToken(held + part.toString('latin1'), token);
      const pending = beginsAtEnd(text);
      held = text.slice(text.length - pending);
      done(null, Buffer.from(text.slice(0, text.length - pending), 'latin1'));
    },
    flush(done) {
      done(null, Buffer.from(held, 'latin1'));
    },
  });
}

const KEY_FIELD = /"device_?key"\s*:\s*"/i;
/** A possible beginning of the field at the end of a piece. */
const KEY_FIELD_BEGINS = /"(?:d(?:e(?:v(?:i(?:c(?:e(?:_?(?:k(?:e(?:y(?:"\s*(?::\s*)?)?)?)?)?)?)?)?)?)?)?)?$/i;

/** A stream of JSON with stars instead of each DeviceKey. */
export function keyScrubber(): Transform {
  let held = '';
  let inKey = false;
  let isEscaped = false;
  const scrub = (text: string): string => {
    let out = '';
    let at = 0;
    while (at < text.length) {
      if (inKey) {
        const sign = text[at] ?? '';
        if (sign === '"' && !isEscaped) inKey = false;
        out += inKey ? STAR : sign;
        isEscaped = sign === '\\' && !isEscaped;
        at += 1;
        continue;
      }
      const found = KEY_FIELD.exec(text.slice(at));
      const end = found ? at + found.index + found[0].length : text.length;
      out += text.slice(at, end);
      at = end;
      inKey = found !== null;
    }
    return out;
  };
  return new Transform({
    transform(part: Buffer, _coding, done) {
      const text = scrub(held + part.toString('latin1'));
      const pending = inKey ? 0 : (KEY_FIELD_BEGINS.exec(text.slice(-200))?.[0].length ?? 0);
      held = text.slice(text.length - pending);
      done(null, Buffer.from(text.slice(0, text.length - pending), 'latin1'));
    },
    flush(done) {
      done(null, Buffer.from(held, 'latin1'));
    },
  });
}
