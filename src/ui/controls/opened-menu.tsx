// A menu from its first use on. Until then a plain button stands in its place, since what is behind a menu costs too much
// to load before the page: the button asks for the menu when it is pointed at, and opens it when it is pressed.
import { useCallback, useState } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { Menu } from '@mantine/core';

interface OpenedMenuProps {
  button: ComponentProps<'button'>;
  width: number;
  children: ReactNode;
}

/** The menu, open, with the button that it hangs on. */
export function OpenedMenu({ button, width, children }: OpenedMenuProps) {
  const [opened, setOpened] = useState(false);
  // Takes the place of the plain button, and with it the focus, so that closing the menu can give it back.
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
