// Removes secrets from upstream responses: the caller's token wherever the service repeats it, and device keys except
// in the response that creates a device. They are replaced by asterisks of the same length, so that Content-Length
// stays correct.
import { Transform } from 'node:stream';

/** A shorter token cannot be secret, and ordinary words might match it. */
const MIN_TOKEN_LENGTH = 8;
const STAR = '*';

/** The forms in which a token can appear: as it is, in a URL, and in JSON with escaped slashes. */
function spellingsOf(token: string): string[] {
  if (token.length < MIN_TOKEN_LENGTH) return [];
  return [...new Set([token, encodeURIComponent(token), token.replaceAll('/', String.raw`\/`)])];
}

/** A text without the token. */
export const withoutToken = (text: string, token: string): string =>
  spellingsOf(token).reduce((left, each) => left.replaceAll(each, STAR.repeat(each.length)), text);

/** Removes the token from a stream of bytes, even if it spans two chunks. */
export function tokenScrubber(token: string): Transform {
  const spellings = spellingsOf(token);
  let held = '';
  /** The length of a possible start of the token at the end, which has to wait for the next chunk. */
  const pendingLength = (text: string): number => {
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
      const pending = pendingLength(text);
      held = text.slice(text.length - pending);
      done(null, Buffer.from(text.slice(0, text.length - pending), 'latin1'));
    },
    flush(done) {
      done(null, Buffer.from(held, 'latin1'));
    },
  });
}

const KEY_FIELD = /"device_?key"\s*:\s*"/i;
/** A possible start of the field at the end of a chunk. */
const KEY_FIELD_BEGINS = /"(?:d(?:e(?:v(?:i(?:c(?:e(?:_?(?:k(?:e(?:y(?:"\s*(?::\s*)?)?)?)?)?)?)?)?)?)?)?)?$/i;

/** Replaces each DeviceKey in a stream of JSON by asterisks. */
export function keyScrubber(): Transform {
  let held = '';
  let inKey = false;
  let isEscaped = false;
  const scrub = (text: string): string => {
    let out = '';
    let at = 0;
    while (at < text.length) {
      if (inKey) {
        const char = text[at] ?? '';
        if (char === '"' && !isEscaped) inKey = false;
        out += inKey ? STAR : char;
        isEscaped = char === '\\' && !isEscaped;
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
