// Focuses the first field of a dialog instead of its close button.

const FIELD = ':is(input, select, textarea):not([type="hidden"], [type="file"], [tabindex="-1"], :disabled)';

const isVisible = (node: HTMLElement) => node.checkVisibility({ visibilityProperty: true });

/** The field marked with data-autofocus, else the first; in a radio group, the checked one. */
function firstField(content: HTMLElement): HTMLElement | undefined {
  const fields = [...content.querySelectorAll<HTMLElement>(FIELD)].filter(isVisible);
  const first = fields.find((field) => field.matches('[data-autofocus]')) ?? fields[0];
  if (!(first instanceof HTMLInputElement) || first.type !== 'radio') return first;
  return fields.find((field) => field.matches(':checked') && field.getAttribute('name') === first.name) ?? first;
}

/** Whether the user has not moved the focus: it is where the dialog puts it when there is no field. */
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

/** The ref of a dialog's content. Its fields may appear later, once their data has loaded. */
export function focusFirstField(content: HTMLElement | null): (() => void) | undefined {
  if (!content) return undefined;
  const find = () => {
    const field = firstField(content);
    // Mantine's focus trap takes the first element with this attribute.
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
  // Leaves the focus alone once the user has started to use the dialog.
  const stop = new AbortController();
  stop.signal.addEventListener('abort', () => changes.disconnect());
  for (const event of ['keydown', 'pointerdown'])
    document.addEventListener(event, () => stop.abort(), { signal: stop.signal, capture: true });
  return () => stop.abort();
}
