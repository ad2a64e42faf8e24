// The menu of one row of the device table, from its first use on.
import { useCallback, useState } from 'react';
import type { ComponentProps } from 'react';
import { Link } from 'react-router';
import { Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconCopy, IconExternalLink, IconMapPin, IconPencil, IconRocket, IconTrash } from '@tabler/icons-react';
import { paths } from '#/paths.ts';
import { copyText } from '#/ui/copy-button.tsx';
import { useDeviceDialog } from './use-device-dialog.ts';
import classes from './device-menu.module.css';

const icon = { size: 16, stroke: 1.6, 'aria-hidden': true } as const;

/** The menu, open, with the button that it hangs on. */
export function OpenedMenu({ id, button }: { id: string; button: ComponentProps<'button'> }) {
  const [opened, setOpened] = useState(false);
  // Takes the place of the plain button, and with it the focus, so that closing the menu can give it back.
  const takeOver = useCallback((taken: HTMLButtonElement | null) => {
    if (!taken) return;
    taken.focus();
    setOpened(true);
  }, []);
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-end" width={180} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <button {...button} type="button" ref={takeOver} />
      </Menu.Target>
      <Items id={id} />
    </Menu>
  );
}

function Items({ id }: { id: string }) {
  const dialog = useDeviceDialog();
  const copy = async () => {
    const done = await copyText(id);
    notifications.show({ message: done ? 'Id copied' : 'The browser refused to copy', color: done ? 'indigo' : 'red' });
  };
  return (
    <Menu.Dropdown>
      <Menu.Item component={Link} to={paths.device(id)} leftSection={<IconExternalLink {...icon} />}>
        Open
      </Menu.Item>
      <Menu.Item component={Link} {...dialog.link('edit', id)} leftSection={<IconPencil {...icon} />}>
        Edit
      </Menu.Item>
      <Menu.Item component={Link} {...dialog.link('locate', id)} leftSection={<IconMapPin {...icon} />}>
        Set location
      </Menu.Item>
      <Menu.Item component={Link} to={paths.deploy({ device: id })} leftSection={<IconRocket {...icon} />}>
        Deploy to it
      </Menu.Item>
      <Menu.Item leftSection={<IconCopy {...icon} />} onClick={() => void copy()}>
        Copy id
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item
        component={Link}
        {...dialog.link('delete', id)}
        className={classes['danger'] ?? ''}
        leftSection={<IconTrash {...icon} />}
      >
        Delete
      </Menu.Item>
    </Menu.Dropdown>
  );
}
