// Text that a person types and that the URL holds: shown at once, applied after a short pause.
import { useEffect, useRef, useState } from 'react';
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
  const send = (text: string) => {
    setSent(text.trim());
    commit(text.trim());
  };
  const latest = useRef(send);
  useEffect(() => {
    latest.current = send;
  });
  // Once a link was followed, applying would take the reader back from a page that is still loading.
  const leaving = useNavigation().state !== 'idle';
  useEffect(() => {
    if (typed.trim() === sent || leaving) return;
    const timer = setTimeout(() => latest.current(typed), pause);
    return () => clearTimeout(timer);
  }, [typed, sent, pause, leaving]);
  return { typed, setTyped, send };
}
