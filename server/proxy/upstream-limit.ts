// A stream with a maximum size.
import { Transform } from 'node:stream';

export function atMost(bytes: number, refusal: () => Error = () => new Error('Too many bytes')): Transform {
  let count = 0;
  return new Transform({
    transform(part: Buffer, _coding, done) {
      count += part.length;
      if (count > bytes) done(refusal());
      else done(null, part);
    },
  });
}
