// Rows that do not move under the pointer, nor while the keyboard is in them: what changes meanwhile is drawn where it is,
// and gets its place in the order when the pointer leaves.
import { useEffect, useMemo, useState, useSyncExternalStore, type RefObject } from 'react';
import { useLocation } from 'react-router';
import { createStore } from '#/lib/store.ts';

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

/**
 * The ids of rows in the order in which they are drawn. `body`: the element of the rows. `exists`: whether a row that is
 * not among the ids any more can still be drawn. `parentOf`: the row that a row was opened from.
 */
export function useHeldOrder(
  body: RefObject<HTMLElement | null>,
  ids: readonly string[],
  exists?: (id: string) => boolean,
  parentOf?: (id: string) => string | undefined,
): readonly string[] {
  const isHeld = useIsHeld(body);
  const [held, setHeld] = useState<readonly string[]>();
  const next = useMemo(
    () => (isHeld && held ? heldOrder(held, ids, { exists, parentOf }) : ids),
    [isHeld, held, ids, exists, parentOf],
  );
  const hold = isHeld ? next : undefined;
  if (hold !== held) setHeld(hold);
  return next;
}

/**
 * The same for rows that are all at hand; `find` has those that no filter matches any more as well, `parentOf` is the key
 * of the row that a row was opened from.
 */
export function useHeldRows<Row>(
  body: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  rowKey: (row: Row) => string,
  find?: (id: string) => Row | undefined,
  parentOf?: (row: Row) => string | undefined,
): { rows: readonly Row[]; ids: readonly string[] } {
  const sorted = useMemo(() => rows.map(rowKey), [rows, rowKey]);
  const exists = useMemo(() => find && ((id: string) => find(id) !== undefined), [find]);
  const parentOfId = useMemo(() => {
    if (!parentOf) return undefined;
    const parents = new Map(rows.map((row) => [rowKey(row), parentOf(row)]));
    return (id: string) => parents.get(id);
  }, [rows, rowKey, parentOf]);
  const ids = useHeldOrder(body, sorted, exists, parentOfId);
  const held = useMemo(() => {
    if (ids === sorted) return rows;
    const byId = new Map(rows.map((row) => [rowKey(row), row]));
    return ids.flatMap((id) => byId.get(id) ?? find?.(id) ?? []);
  }, [ids, sorted, rows, rowKey, find]);
  return { rows: held, ids };
}

/** Whether somebody is at work in the rows. Another URL is another order, whatever is under the pointer. */
function useIsHeld(body: RefObject<HTMLElement | null>): boolean {
  const [held] = useState(() => createStore(false));
  const { search } = useLocation();
  useEffect(() => held.set(false), [held, search]);
  useEffect(() => {
    const node = body.current;
    if (!node) return;
    const stop = new AbortController();
    const on = <Name extends keyof HTMLElementEventMap>(name: Name, act: (event: HTMLElementEventMap[Name]) => void) =>
      node.addEventListener(name, act, { signal: stop.signal, passive: true });
    on('pointermove', ({ pointerType }) => pointerType === 'mouse' && held.set(true));
    on('pointerleave', () => held.set(node.querySelector(':focus-visible') !== null));
    on('focusin', ({ target }) => target instanceof Element && target.matches(':focus-visible') && held.set(true));
    on('focusout', () => node.matches(':hover') || held.set(false));
    return () => stop.abort();
  }, [held, body]);
  return useSyncExternalStore(held.subscribe, held.get);
}
