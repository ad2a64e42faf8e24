// What is being typed into a field that is applied when it is complete: it follows its value when something else changes that.
import { useState } from 'react';

export function useDraft(value: string): [typed: string, setTyped: (text: string) => void] {
  const [typed, setTyped] = useState(value);
  const [previous, setPrevious] = useState(value);
  if (value !== previous) {
    setPrevious(value);
    setTyped(value);
  }
  return [typed, setTyped];
}
