// What a dialog was opened for, held as it was: the page behind goes on reading and may forget it meanwhile.
import { useState } from 'react';

/** `read`: undefined as long as it is not known; asked until it is, and never again before the next opening. */
export function useSnapshot<Value>(open: boolean, read: () => Value | undefined): Value | undefined {
  const [held, setHeld] = useState<Value>();
  if (open && held === undefined) {
    const value = read();
    if (value !== undefined) setHeld(value);
    return value;
  }
  if (!open && held !== undefined) setHeld(undefined);
  return open ? held : undefined;
}
