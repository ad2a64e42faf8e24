// Why an action is blocked: a popover above everything else, beside its control, until Escape or a click elsewhere.
import { useEffectEvent, useLayoutEffect, useRef, type PointerEventHandler } from 'react';

interface ReasonProps {
  id: string;
  control: HTMLElement;
  children: string;
  onLeave: PointerEventHandler;
  onHide: () => void;
}

export function Reason({ id, control, children, onLeave, onHide }: ReasonProps) {
  const popover = useRef<HTMLSpanElement>(null);
  const hide = useEffectEvent(onHide);
  useLayoutEffect(() => (popover.current ? showBeside(control, popover.current, () => hide()) : undefined), [control]);
  return (
    <span
      ref={popover}
      id={id}
      // Nothing but items may be in a menu.
      role={isItem(control) ? undefined : 'tooltip'}
      className="reason"
      popover="manual"
      onPointerLeave={onLeave}
    >
      <span>{children}</span>
    </span>
  );
}

const isItem = (control: HTMLElement) => control.matches('[role=menuitem]');

function showBeside(control: HTMLElement, reason: HTMLElement, hide: () => void): () => void {
  const place = () => {
    const { left, top, right, bottom } = control.getBoundingClientRect();
    const { offsetWidth, offsetHeight, style } = reason;
    const { clientWidth, clientHeight } = document.documentElement;
    // Beside a menu, whose next items it would cover.
    const room = isItem(control) ? Math.max(left, clientWidth - right) : 0;
    const isBeside = room >= offsetWidth;
    const x = isBeside ? (room > left ? right : left - offsetWidth) : (left + right - offsetWidth) / 2;
    const y = isBeside ? top : bottom + offsetHeight > clientHeight ? top - offsetHeight : bottom;
    style.left = `${Math.max(0, Math.min(x, clientWidth - offsetWidth))}px`;
    style.top = `${y}px`;
  };
  const ended = new AbortController();
  const listeners = {
    resize: place,
    scroll: place,
    keydown: (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      hide();
      // The next Escape is for the dialog or menu around it.
      if (event.target === control) event.stopPropagation();
    },
    pointerdown: ({ target }: Event) => {
      if (![control, reason].some((part) => part.contains(target as Node))) hide();
    },
  };
  reason.showPopover?.();
  place();
  for (const [name, listener] of Object.entries(listeners))
    addEventListener(name, listener as EventListener, { capture: true, signal: ended.signal });
  return () => ended.abort();
}
