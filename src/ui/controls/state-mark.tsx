// A state as a shape and a word. Colour only supports them: nobody needs it to tell states apart.
import type { ReactNode } from 'react';
import { stateLabel, stateText, type StateWords } from './state-words.ts';
import classes from './state-mark.module.css';

const stroke = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.75, strokeLinecap: 'round' as const };

const SHAPES = new Map(
  Object.entries<{ tone: string; shape: ReactNode }>({
    Online: { tone: 'online', shape: <circle cx="7" cy="7" r="4.5" fill="currentColor" /> },
    Offline: { tone: 'offline', shape: <circle cx="7" cy="7" r="4" {...stroke} strokeWidth={2} /> },
    NotConnected: {
      tone: 'waiting',
      shape: <circle cx="7" cy="7" r="4.5" {...stroke} strokeDasharray="2.2 2.512" strokeLinecap="butt" />,
    },
    Waiting: {
      tone: 'waiting',
      shape: <path d="M7 1.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11M7 4v3.2l2 1.3" {...stroke} />,
    },
    Running: { tone: 'running', shape: <path d="M7 1.5A5.5 5.5 0 1 1 1.5 7" {...stroke} strokeWidth={2} /> },
    Succeeded: { tone: 'ok', shape: <path d="M2.5 7.5l3 3l6-6.5" {...stroke} strokeWidth={2} /> },
    Failed: {
      tone: 'failed',
      shape: (
        <path d="M4.5 1.5h5l3 3v5l-3 3h-5l-3-3v-5zM5.2 5.2l3.6 3.6M8.8 5.2l-3.6 3.6" {...stroke} strokeWidth={1.5} />
      ),
    },
    'Rolled back': {
      tone: 'rolled-back',
      shape: <path d="M4.5 2L1.8 4.7l2.7 2.7M1.8 4.7h6.4a3.7 3.7 0 0 1 0 7.4H4" {...stroke} />,
    },
    'No answer': {
      tone: 'no-answer',
      shape: (
        <>
          <circle cx="7" cy="7" r="6" {...stroke} strokeWidth={1.25} strokeDasharray="2.2 1.57" strokeLinecap="butt" />
          <path d="M5.4 5.6a1.6 1.6 0 1 1 2.2 1.5c-.4.2-.6.4-.6.9M7 10v.1" {...stroke} strokeWidth={1.5} />
        </>
      ),
    },
    Cancelled: {
      tone: 'waiting',
      shape: <path d="M7 1.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11M3.2 10.8l7.6-7.6" {...stroke} />,
    },
    Interrupted: {
      tone: 'offline',
      shape: <path d="M7 1.8L13 12.2H1zM7 5.6v2.8M7 10.3v.2" {...stroke} strokeWidth={1.5} />,
    },
    Finished: { tone: 'waiting', shape: <path d="M3 7h8" {...stroke} strokeWidth={2} /> },
  }),
);
const OTHER = { tone: 'waiting', shape: <path d="M5 5a2 2 0 1 1 2.6 2c-.4.2-.6.5-.6 1M7 11v.2" {...stroke} /> };

interface StateMarkProps {
  state: string;
  label?: ReactNode;
  /** Uses the colour of a failure for any shape. */
  isBad?: boolean;
  /** A sentence, which may take several lines. */
  wraps?: boolean;
}

/** The mark and word of a state; an unknown state shows its own name and a question mark. */
export function StateMark({ state, label, isBad = false, wraps = false }: StateMarkProps) {
  const { tone, shape } = SHAPES.get(state) ?? OTHER;
  return (
    <span className={classes.mark} data-tone={isBad ? 'failed' : tone} data-wraps={wraps || undefined}>
      <svg
        width="14"
        height="14"
        viewBox="0 0 14 14"
        aria-hidden
        className={state === 'Running' ? classes.moving : undefined}
      >
        {shape}
      </svg>
      <span>{label ?? stateLabel(state)}</span>
    </span>
  );
}

/** The state of several devices, which says so if one of them failed. */
export function StateOf({ words }: { words: StateWords }) {
  return <StateMark state={words.mark} label={stateText(words)} isBad={(words.failed ?? 0) > 0} />;
}
