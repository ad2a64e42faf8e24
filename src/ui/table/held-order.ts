// The order of rows that must not move.

/** `shown` without what is gone, and with what is new at the end; the same array if it has the same rows. */
export function heldOrder(
  shown: readonly string[],
  ids: readonly string[],
  exists: (id: string) => boolean = () => false,
): readonly string[] {
  if (shown === ids) return shown;
  const wanted = new Set(ids);
  const stay = shown.filter((id) => wanted.delete(id) || exists(id));
  return wanted.size === 0 && stay.length === shown.length ? shown : [...stay, ...wanted];
}
