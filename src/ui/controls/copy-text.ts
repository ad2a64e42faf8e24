// Copies text even without the clipboard API, which plain http on a LAN address lacks because it is no secure context.
import { notifications } from '@mantine/notifications';

/** Puts text on the clipboard; false if the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.readOnly = true;
    area.className = 'visually-hidden';
    // Inside the open dialog, if there is one: its focus trap would take the selection from an element outside.
    const parent = document.activeElement?.closest('[role="dialog"]') ?? document.body;
    parent.append(area);
    area.select();
    // oxlint-disable-next-line typescript/no-deprecated -- the only way to copy outside a secure context
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/** Copies text and shows a notice that says whether it worked. */
export async function copyWithNotice(text: string, message: string): Promise<void> {
  const done = await copyText(text);
  notifications.show({ message: done ? message : 'The browser blocked copying', color: done ? 'indigo' : 'red' });
}
