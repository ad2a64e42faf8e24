// Keeps rows in place while the pointer or the keyboard is in them. Changes show at once, but rows move to their new position
// only when the pointer leaves.
import { useEffect, useMemo, useState, useSyncExternalStore, type RefObject } from 'react';
import { useLocation } from 'react-router';
import { createStore } from '#/lib/store.ts';

interface HeldOrderOptions {
  /** Whether a row that is no longer listed can still be shown. */
  exists?: ((id: string) => boolean) | undefined;
  /** The row that a row was opened from: it stays below that one. */
  parentOf?: ((id: string) => string | undefined) | undefined;
}

/**
 * `shown` without rows that are gone, with new rows at the end or at the end of their parent's children. Returns the same
 * array if nothing changed.
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
 * The ids of rows in the order in which to show them. `body`: the element that contains the rows. `exists`: whether a row that
 * is no longer listed can still be shown. `parentOf`: the row that a row was opened from.
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
 * The same for rows that are all in memory. `find` also finds rows that no longer match the filter; `parentOf` returns the
 * key of the row that a row was opened from.
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

/** Whether the pointer or the keyboard is in the rows. A new URL releases them, because it may sort differently. */
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
