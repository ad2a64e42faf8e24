// Typed text that is kept in the URL: shown at once, applied after a short pause.
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNavigation } from 'react-router';

/** Milliseconds from the last key press until the text is applied. */
const PAUSE = 250;

interface Typed {
  /** What is in the field. */
  text: string;
  /** The text applied last, by this field or by something else. */
  sent: string;
  /** The text that was applied at the last render. */
  applied: string;
}

/** `value`: the applied text. If something else changes it (Back, Clear, a link), the field follows. */
export function useTyped(value: string, commit: (text: string) => void, pause: number = PAUSE) {
  const [state, setState] = useState<Typed>({ text: value, sent: value, applied: value });
  if (value !== state.applied)
    setState({ ...(value === state.sent ? state : { text: value, sent: value }), applied: value });
  const { text: typed, sent } = state;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const send = (text: string) => {
    clearTimeout(timer.current);
    setState((now) => ({ ...now, sent: text.trim() }));
    commit(text.trim());
  };
  /** Clears the field without applying it, for a button that clears all filters at once. */
  const empty = () => {
    clearTimeout(timer.current);
    setState((now) => ({ ...now, text: '', sent: '' }));
  };
  const setTyped = (text: string) => setState((now) => ({ ...now, text }));
  const applyNow = useEffectEvent(() => send(typed));
  // While another page is loading, applying the text would cancel that navigation.
  const leaving = useNavigation().state !== 'idle';
  useEffect(() => {
    if (typed.trim() === sent || leaving) return;
    timer.current = setTimeout(() => applyNow(), pause);
    return () => clearTimeout(timer.current);
  }, [typed, sent, pause, leaving]);
  return { typed, setTyped, send, empty };
}
