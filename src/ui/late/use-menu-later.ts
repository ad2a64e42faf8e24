// For a plain button in the place of a menu that is not loaded yet.
import { useEffect, useState } from 'react';
import { setMissing } from './not-loaded.ts';
import type { LoadPart } from './not-loaded.ts';

/** `used`: the menu is here and was asked for, so that it takes the place of the button. */
export function useMenuPreload(load: LoadPart) {
  const [used, setUsed] = useState(false);
  const [failed, setFailed] = useState(false);
  /** The pointer or the focus is here: the click may follow. */
  const prepare = () => void load().catch(() => {});
  const onClick = () =>
    void load().then(
      () => setUsed(true),
      () => setFailed(true),
    );
  useEffect(() => {
    if (used || !failed) return;
    setMissing(load, true);
    return () => setMissing(load, false);
  }, [used, failed, load]);
  return { used, handlers: { onClick, onPointerEnter: prepare, onFocus: prepare } };
}
