// A dialog begins with its first field, not with its close button.

const FIELD = ':is(input, select, textarea):not([type="hidden"], [type="file"], [tabindex="-1"], :disabled)';

const isSeen = (node: HTMLElement) => node.checkVisibility({ visibilityProperty: true });

/** The field that a dialog names, else its first; of radio buttons the one that is chosen. */
function firstField(content: HTMLElement): HTMLElement | undefined {
  const fields = [...content.querySelectorAll<HTMLElement>(FIELD)].filter(isSeen);
  const first = fields.find((field) => field.matches('[data-autofocus]')) ?? fields[0];
  if (!(first instanceof HTMLInputElement) || first.type !== 'radio') return first;
  return fields.find((field) => field.matches(':checked') && field.getAttribute('name') === first.name) ?? first;
}

/** Whether nobody has gone anywhere yet: the focus is where the dialog itself puts it for want of a field. */
function isUntouched(content: HTMLElement): boolean {
  const { activeElement: focused } = document;
  const dialog = content.closest('[role="dialog"]');
  return (
    focused === document.body ||
    focused === dialog ||
    focused?.matches('[data-autofocus]') === true ||
    (dialog?.contains(focused) === true && !content.contains(focused))
  );
}

/** As the ref of what is in a dialog. Its fields may come later, when what they need has been read. */
export function focusFirstField(content: HTMLElement | null): (() => void) | undefined {
  if (!content) return undefined;
  const find = () => {
    const field = firstField(content);
    // The focus trap of the dialog takes the first that has this mark.
    if (field)
      for (const marked of content.querySelectorAll('[data-autofocus]')) marked.removeAttribute('data-autofocus');
    field?.setAttribute('data-autofocus', 'true');
    return field;
  };
  if (find()) return undefined;
  const changes = new MutationObserver(() => {
    if (!isUntouched(content)) return changes.disconnect();
    const field = find();
    if (field) changes.disconnect();
    (field ?? content.querySelector<HTMLElement>('[data-autofocus]'))?.focus({ preventScroll: true });
  });
  changes.observe(content, { childList: true, subtree: true });
  // Who has begun to use the dialog is not moved any more.
  const stop = new AbortController();
  stop.signal.addEventListener('abort', () => changes.disconnect());
  for (const event of ['keydown', 'pointerdown'])
    document.addEventListener(event, () => stop.abort(), { signal: stop.signal, capture: true });
  return () => stop.abort();
}
