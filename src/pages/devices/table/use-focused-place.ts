// Which row of a long table has the focus: it stays drawn wherever the reader scrolls, or the keyboard would be thrown out
// of the table.
import { useState } from 'react';
import type { FocusEvent } from 'react';

const idOf = (target: EventTarget) =>
  target instanceof Element ? target.closest<HTMLElement>('tr[data-id]')?.dataset['id'] : undefined;

/** `pinned`: the place of that row where it is not among `from` to `to`, else -1. `focusProps`: of the rows' element. */
export function useFocusedPlace(ids: readonly string[], from: number, to: number) {
  const [focused, setFocused] = useState<string>();
  const place = focused === undefined || ids.slice(from, to).includes(focused) ? -1 : ids.indexOf(focused);
  return {
    pinned: place,
    focusProps: {
      onFocus: ({ target }: FocusEvent) => setFocused(idOf(target)),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        // Where only the window lost it, the element still has it.
        if (!currentTarget.contains(relatedTarget) && !currentTarget.contains(document.activeElement))
          setFocused(undefined);
      },
    },
  };
}
