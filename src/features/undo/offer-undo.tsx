// A change that was just made, with an offer to undo it for ten seconds: a notice in the corner, whose button Ctrl+Z
// presses too, since a notice comes last in the order of Tab.
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { errorLine } from '#/api/api-error.ts';
import { isTyping } from '#/lib/free-key.ts';
import { isApple } from '#/ui/controls/is-apple.ts';
import { useKeyDown } from '#/ui/controls/use-key-down.ts';
import { focusPage, isFocusLost } from '#/ui/dialog/use-focus-back.ts';
import { Link } from '#/ui/url/link.tsx';
import classes from './offer-undo.module.css';

/** What became of an undo, and where its details are. */
export interface Undone {
  text: string;
  to?: string | undefined;
  isPart?: boolean;
}

/** Milliseconds; the notice waits longer while it is pointed at or focused. */
const OFFERED_MS = 10_000;
const FAILED_MS = 60_000;
const ID = 'undo';

/** Replaces the offer of an earlier change. `undo` resolves to what became of it. */
export function offerUndo(text: string, undo: () => Promise<Undone>): void {
  let isAsked = false;
  const take = () => {
    if (isAsked) return;
    isAsked = true;
    void takeBack(undo);
  };
  const notice = {
    message: <Offer key={Math.random()} text={text} onUndo={take} />,
    autoClose: OFFERED_MS,
  };
  notifications.hide(ID);
  notifications.show({ ...notice, id: ID, color: 'indigo' });
}

/** Undoes it, and says what became of it. */
export async function takeBack(undo: () => Promise<Undone>): Promise<void> {
  notifications.hide(ID);
  if (isFocusLost()) focusPage();
  try {
    const { text, to, isPart = false } = await undo();
    const link = to && <Link to={to}>See why</Link>;
    notifications.show({
      message: (
        <span className={classes.offer}>
          {text} {link}
        </span>
      ),
      color: isPart ? 'orange' : 'indigo',
      autoClose: isPart ? OFFERED_MS * 2 : OFFERED_MS,
    });
  } catch (error) {
    notifications.show({
      message: `Not undone: ${errorLine(error)}`,
      color: 'red',
      autoClose: FAILED_MS,
    });
  }
}

function Offer({ text, onUndo }: { text: string; onUndo: () => void }) {
  useKeyDown((event) => {
    const isUndo = event.key.toLowerCase() === 'z' && (isApple ? event.metaKey : event.ctrlKey) && !event.shiftKey;
    if (!isUndo || event.defaultPrevented || isTyping(event.target)) return;
    event.preventDefault();
    onUndo();
  });
  return (
    <span className={classes.offer}>
      <span>{text}</span>
      <Button size="compact-sm" variant="default" onClick={onUndo} aria-keyshortcuts={isApple ? 'Meta+Z' : 'Control+Z'}>
        Undo
      </Button>
      <kbd className="dim small">{isApple ? '⌘Z' : 'Ctrl Z'}</kbd>
    </span>
  );
}
