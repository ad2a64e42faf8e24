// Whether a key press may be a shortcut: nobody is typing, no dialog or menu is open, no modifier is held.

export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
    (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)));

export const isFree = (event: KeyboardEvent): boolean =>
  !event.ctrlKey &&
  !event.metaKey &&
  !event.altKey &&
  !event.defaultPrevented &&
  !isTyping(event.target) &&
  // Mantine leaves closed ones in the document.
  ![...document.querySelectorAll('[role="dialog"], [role="menu"]')].some((node) => node.checkVisibility());
