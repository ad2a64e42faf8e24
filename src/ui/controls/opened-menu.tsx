// A menu whose code loads on first use, because it costs too much before the page. Until then a plain button is shown:
// it loads the menu when the pointer reaches it, and opens it when it is pressed.
import { useCallback, useState, type ComponentProps, type ReactNode } from 'react';
import { Menu } from '@mantine/core';

interface OpenedMenuProps {
  button: ComponentProps<'button'>;
  width: number;
  children: ReactNode;
}

/** The menu, open, with the button that it hangs on. */
export function OpenedMenu({ button, width, children }: OpenedMenuProps) {
  const [opened, setOpened] = useState(false);
  // Replaces the plain button and takes over its focus, so that closing the menu can give it back.
  const takeOver = useCallback((taken: HTMLButtonElement | null) => {
    if (!taken) return;
    taken.focus();
    setOpened(true);
  }, []);
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-end" width={width} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <button {...button} type="button" ref={takeOver} />
      </Menu.Target>
      {children}
    </Menu>
  );
}
