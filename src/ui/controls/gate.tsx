// Disables an action for a reason. It can still be focused; its reason is its description for screen readers, and is shown
// beside it while the mouse or the focus is on it, and after a tap (WCAG 2.2, 1.4.13).
import { cloneElement, useId, useState } from 'react';
import type { PointerEvent, ReactElement, SyntheticEvent } from 'react';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { Link } from '#/ui/url/link.tsx';

export interface GateProps {
  /** Why the action is not possible; undefined if it is. */
  why: string | undefined;
  /** One button, link or menu item. */
  children: ReactElement;
}

const Reason = lazyPart(() => import('./reason.tsx'), 'Reason');

export function Gate({ why, children }: GateProps) {
  const id = useId();
  const [shownAt, setShownAt] = useState<HTMLElement>();
  const hide = () => setShownAt(undefined);
  if (why === undefined) {
    if (shownAt) hide();
    return children;
  }
  const action = children as ReactElement<Record<string, unknown>>;
  const show = ({ currentTarget }: SyntheticEvent<HTMLElement>) => setShownAt(currentTarget);
  /** It stays while the mouse is on either of the two. */
  const leave = ({ pointerType, relatedTarget }: PointerEvent) => {
    const next = relatedTarget instanceof Node ? relatedTarget : null;
    const stays = [shownAt, document.getElementById(id)].some((part) => part?.contains(next));
    if (pointerType === 'mouse' && shownAt !== document.activeElement && !stays) hide();
  };
  const blocked = {
    // Not the browser's own tooltip beside ours.
    ...(shownAt ? { title: undefined, 'aria-describedby': id } : { title: why }),
    'aria-disabled': true,
    'data-blocked': true,
    // Dialogs leave the Escape to it that closes the reason.
    'data-mantine-stop-propagation': shownAt !== undefined,
    onClick: undefined,
    // Before a menu, which would close, and before the row or form around it.
    onClickCapture: (event: SyntheticEvent<HTMLElement>) => {
      event.preventDefault();
      event.stopPropagation();
      show(event);
    },
    onFocus: show,
    onBlur: hide,
    onPointerEnter: (event: PointerEvent<HTMLElement>) => event.pointerType === 'mouse' && show(event),
    onPointerLeave: leave,
  };
  const { children: text, className, to, type = 'button' } = action.props;
  // No link, which could be opened in another tab.
  const noLink = to !== undefined && { component: 'button', to: undefined, state: undefined, replace: undefined };
  return (
    <>
      {action.type === Link ? (
        <button type="button" className={className as string} {...blocked} data-text>
          {text as string}
        </button>
      ) : (
        cloneElement(action, { ...noLink, ref: undefined, type, disabled: undefined, ...blocked })
      )}
      <Reason open={shownAt && { id, control: shownAt, children: why, onLeave: leave, onHide: hide }} />
    </>
  );
}
