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
  // The menu of a page stays within its landmark, so that whoever goes from one to the next finds it.
  const [landmark, setLandmark] = useState<HTMLElement>();
  // Takes over the focus of the plain button, so that closing the menu can return it.
  const focusAndOpen = useCallback((target: HTMLButtonElement | null) => {
    if (!target) return;
    target.focus();
    setLandmark(target.closest('main') ?? undefined);
    setOpened(true);
  }, []);
  return (
    <Menu
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={width}
      withInitialFocusPlaceholder={false}
      {...(landmark && { portalProps: { target: landmark } })}
    >
      <Menu.Target>
        <button {...button} type="button" ref={focusAndOpen} />
      </Menu.Target>
      {children}
    </Menu>
  );
}
