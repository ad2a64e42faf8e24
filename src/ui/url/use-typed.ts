// Text that a person types and that the URL holds: shown at once, applied after a short pause.
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useNavigation } from 'react-router';

/** Pause after the last key before the text is applied, in milliseconds. */
const PAUSE = 250;

/** `value`: what is applied now; when something else changes it (Back, Clear, a link) the text follows. */
export function useTyped(value: string, commit: (text: string) => void, pause: number = PAUSE) {
  const [typed, setTyped] = useState(value);
  const [previous, setPrevious] = useState(value);
  const [sent, setSent] = useState(value);
  if (value !== previous) {
    setPrevious(value);
    if (value !== sent) {
      setTyped(value);
      setSent(value);
    }
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const send = (text: string) => {
    clearTimeout(timer.current);
    setSent(text.trim());
    commit(text.trim());
  };
  /** Empties the field, and applies nothing: whoever clears all filters at once does that too. */
  const empty = () => {
    clearTimeout(timer.current);
    setTyped('');
    setSent('');
  };
  const latest = useRef(send);
  // Before a timer can fire that was set for what was drawn before.
  useLayoutEffect(() => {
    latest.current = send;
  });
  // Once a link was followed, applying would take the reader back from a page that is still loading.
  const leaving = useNavigation().state !== 'idle';
  useEffect(() => {
    if (typed.trim() === sent || leaving) return;
    timer.current = setTimeout(() => latest.current(typed), pause);
    return () => clearTimeout(timer.current);
  }, [typed, sent, pause, leaving]);
  return { typed, setTyped, send, empty };
}
