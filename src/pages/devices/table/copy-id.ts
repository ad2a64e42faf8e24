// Copies a device's id from a row of the table, and says whether that worked.
import { notifications } from '@mantine/notifications';
import { copyText } from '#/ui/controls/copy-text.ts';

export async function copyId(id: string): Promise<void> {
  const done = await copyText(id);
  notifications.show({ message: done ? 'Id copied' : 'The browser refused to copy', color: done ? 'indigo' : 'red' });
}
