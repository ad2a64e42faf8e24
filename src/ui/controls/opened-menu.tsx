// The menu of a `lazyMenu`, which replaces the plain button once that is pressed and the menu's code has loaded.
import { useCallback, useState, type ComponentProps, type ReactNode } from 'react';
import { Menu } from '@mantine/core';

interface OpenedMenuProps {
  button: ComponentProps<'button'>;
  width: number;
  children: ReactNode;
}

export function OpenedMenu({ button, width, children }: OpenedMenuProps) {
  const [opened, setOpened] = useState(false);
  // Takes over the focus of the plain button, so that closing the menu can return it.
  const focusAndOpen = useCallback((target: HTMLButtonElement | null) => {
    if (!target) return;
    target.focus();
    setOpened(true);
  }, []);
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-end" width={width} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <button {...button} type="button" ref={focusAndOpen} />
      </Menu.Target>
      {children}
    </Menu>
  );
}
