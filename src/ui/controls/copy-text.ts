// Copies a text, also where the clipboard API is not there: plain http on a LAN address is no secure context. Without the
// button, which the first picture of the device table does without.
import { notifications } from '@mantine/notifications';

/** Puts text on the clipboard; false when the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.readOnly = true;
    area.className = 'visually-hidden';
    // Inside an open dialog the focus trap would take the selection away from the end of the body.
    const home = document.activeElement?.closest('[role="dialog"]') ?? document.body;
    home.append(area);
    area.select();
    // oxlint-disable-next-line typescript/no-deprecated -- nothing else copies outside of a secure context
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/** The same, with a notice whether it worked. */
export async function copyWithNotice(text: string, message: string): Promise<void> {
  const done = await copyText(text);
  notifications.show({ message: done ? message : 'The browser blocked copying', color: done ? 'indigo' : 'red' });
}
