// HTTP ranges (RFC 9110, section 14): browsers read single tiles of the base map, and interrupted downloads of
// artifacts continue.
import type { ByteRange } from '../store/artifact-files.ts';

/**
 * The range of a Range header. Undefined means all of the file: there is no header, or one that may be ignored (several
 * ranges, another unit, invalid syntax).
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '')
    return Number(last) === 0 || size === 0
      ? 'unsatisfiable'
      : { start: Math.max(0, size - Number(last)), end: size - 1 };
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
