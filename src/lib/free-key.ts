// Whether a key is free to be a shortcut: nobody types, no dialog or menu is open, nothing else is held down.

const isTyping = (target: EventTarget | null) =>
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
  // Closed ones may stay in the document.
  ![...document.querySelectorAll('[role="dialog"], [role="menu"]')].some((node) => node.checkVisibility());
