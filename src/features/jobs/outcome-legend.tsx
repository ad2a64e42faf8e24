// The legend of an outcome bar: each state with its shape, word and number. Opens on hover, focus and touch, and closes
// with Escape (WCAG 2.2, 1.4.13).
import { useEffect, useState, type SyntheticEvent } from 'react';
import { createPortal } from 'react-dom';
import { formatCount, formatRoughShare } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { totalOf } from './outcome.ts';
import { VERDICTS, type VerdictCounts } from './verdict.ts';
import classes from './outcome-bar.module.css';

const WIDTH = 220;
const LINE = 24;

/** Below the bar, or above it if there is no room. */
function positionOf({ left, top, bottom }: DOMRect, lines: number) {
  const height = lines * LINE + 18;
  const below = bottom + height + 8 < window.innerHeight;
  return {
    left: Math.max(8, Math.min(left, window.innerWidth - WIDTH - 8)),
    top: below ? bottom + 4 : top - height - 4,
  };
}

export function useOutcomeLegend(outcome: VerdictCounts) {
  const [at, setAt] = useState<DOMRect>();
  const open = (event: SyntheticEvent) => setAt(event.currentTarget.getBoundingClientRect());
  const close = () => setAt(undefined);
  useEffect(() => {
    if (!at) return;
    const leave = () => setAt(undefined);
    const press = ({ key }: KeyboardEvent) => key === 'Escape' && leave();
    document.addEventListener('keydown', press);
    document.addEventListener('scroll', leave, { capture: true, passive: true });
    return () => {
      document.removeEventListener('keydown', press);
      document.removeEventListener('scroll', leave, { capture: true });
    };
  }, [at]);
  const states = VERDICTS.filter((state) => outcome[state]);
  const total = totalOf(outcome);
  const legend =
    at &&
    createPortal(
      <div role="tooltip" className={classes.legend} style={positionOf(at, states.length)}>
        {states.map((state) => (
          <div key={state}>
            <span className={classes.swatch} data-state={state} aria-hidden />
            <StateMark state={state} />
            <span className="tabular">{formatCount(outcome[state] ?? 0)}</span>
            <span className="dim tabular">{formatRoughShare((outcome[state] ?? 0) / total)}</span>
          </div>
        ))}
      </div>,
      document.body,
    );
  return { legend, onPointerEnter: open, onPointerLeave: close, onFocus: open, onBlur: close, onClick: open };
}
