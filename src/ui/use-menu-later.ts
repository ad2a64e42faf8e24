// For a plain button in the place of a menu that is not loaded yet.
import { useState } from 'react';
import { notifications } from '@mantine/notifications';

/** `used`: the menu is here and was asked for, so that it takes the place of the button. */
export function useMenuLater(load: () => Promise<unknown>) {
  const [used, setUsed] = useState(false);
  /** The pointer or the focus is here: the click may follow. */
  const prepare = () => void load().catch(() => {});
  const onClick = () =>
    void load().then(
      () => setUsed(true),
      () => notifications.show({ message: 'The menu could not be loaded. Reload the page.', color: 'red' }),
    );
  return { used, handlers: { onClick, onPointerEnter: prepare, onFocus: prepare } };
}
