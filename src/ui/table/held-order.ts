// The order of rows that must not move.

interface HeldOrderOptions {
  /** Whether a row that is not among the ids any more can still be drawn. */
  exists?: ((id: string) => boolean) | undefined;
  /** The row that a row was opened from: it is drawn below that one, wherever that is. */
  parentOf?: ((id: string) => string | undefined) | undefined;
}

/**
 * `shown` without what is gone, and with what is new at the end, or at the end of what its parent opened; the same array if
 * it has the same rows.
 */
export function heldOrder(
  shown: readonly string[],
  ids: readonly string[],
  { exists, parentOf }: HeldOrderOptions = {},
): readonly string[] {
  if (shown === ids) return shown;
  const wanted = new Set(ids);
  const stay = shown.filter((id) => wanted.delete(id) || exists?.(id));
  if (wanted.size === 0 && stay.length === shown.length) return shown;
  const order = [...stay, ...wanted];
  if (!parentOf) return order;
  const drawn = new Set(order);
  const byParent = Map.groupBy(order, (id) => {
    const parent = parentOf(id);
    return parent !== undefined && drawn.has(parent) ? parent : undefined;
  });
  return (byParent.get(undefined) ?? []).flatMap((id) => [id, ...(byParent.get(id) ?? [])]);
}
