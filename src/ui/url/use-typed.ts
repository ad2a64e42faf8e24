// Text that a person types and that the URL holds: shown at once, applied after a short pause.
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNavigation } from 'react-router';

/** Pause after the last key before the text is applied, in milliseconds. */
const PAUSE = 250;

interface Typed {
  /** What is in the field. */
  text: string;
  /** What was applied last, by this field or by something else. */
  sent: string;
  /** What was applied when this was drawn. */
  applied: string;
}

/** `value`: what is applied now; when something else changes it (Back, Clear, a link) the text follows. */
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
  /** Empties the field, and applies nothing: what clears all filters at once does that too. */
  const empty = () => {
    clearTimeout(timer.current);
    setState((now) => ({ ...now, text: '', sent: '' }));
  };
  const setTyped = (text: string) => setState((now) => ({ ...now, text }));
  const rest = useEffectEvent(() => send(typed));
  // Once a link was followed, applying would take the reader back from a page that is still loading.
  const leaving = useNavigation().state !== 'idle';
  useEffect(() => {
    if (typed.trim() === sent || leaving) return;
    timer.current = setTimeout(() => rest(), pause);
    return () => clearTimeout(timer.current);
  }, [typed, sent, pause, leaving]);
  return { typed, setTyped, send, empty };
}
