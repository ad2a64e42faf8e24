// HTTP ranges (RFC 9110, section 14), for the base map, of which the browser reads single tiles,
// and for downloads of artifacts that go on where they were cut off.

export interface ByteRange {
  start: number;
  /** The last byte, included. */
  end: number;
}

/**
 * The one range that a Range header asks for. Undefined means the whole file: there is no header, or one that may be
 * ignored (several ranges, another unit, nonsense).
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
