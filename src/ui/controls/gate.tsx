// Disables an action for a reason. It can still be focused, and its reason is its tooltip and its description for screen
// readers; who clicks it, taps it or presses Enter is shown the reason, because neither touch nor keyboard shows a tooltip.
import { cloneElement, type MouseEvent, type ReactElement } from 'react';
import { notifications } from '@mantine/notifications';
import { Link } from '#/ui/url/link.tsx';

export interface GateProps {
  /** Why the action is not possible; undefined if it is. */
  why: string | undefined;
  /** One button, link or menu item. */
  children: ReactElement;
}

export function Gate({ why, children }: GateProps) {
  if (why === undefined) return children;
  const action = children as ReactElement<Record<string, unknown>>;
  const blocked = {
    title: why,
    'aria-disabled': true,
    'data-blocked': true,
    onClick: (event: MouseEvent) => {
      event.preventDefault();
      showReason(why);
    },
  };
  if (action.type === Link) {
    const { children: text, className } = action.props as { children: string; className?: string };
    return (
      <button type="button" className={className} {...blocked} data-text>
        {text}
      </button>
    );
  }
  // Neither a link, which could be opened in another tab, nor a submit button.
  const noLink = 'to' in action.props && { component: 'button', to: undefined, state: undefined, replace: undefined };
  return cloneElement(action, { ...noLink, ref: undefined, type: 'button', disabled: undefined, ...blocked });
}

/** Says why an action is not possible, once however often it is tried. */
export const showReason = (why: string): void => void notifications.show({ id: why, message: why });
