// Keeps what a dialog was opened for, because the page behind it refetches and may lose it.
import { useState } from 'react';

/** Calls `read` after each opening until it returns a value, and keeps that value until `open` is false. */
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
