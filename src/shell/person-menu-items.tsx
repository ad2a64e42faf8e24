// What the menu of the signed-in person offers.
import type { ComponentProps } from 'react';
import { Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconLogout, IconSettings } from '@tabler/icons-react';
import { errorLine } from '#/api/api-error.ts';
import { signOut } from '#/api/session.ts';
import { paths } from '#/paths.ts';
import { OpenedMenu } from '#/ui/controls/opened-menu.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { Link } from '#/ui/url/link.tsx';

const icon = { size: 16, stroke: 1.6, 'aria-hidden': true } as const;

interface PersonMenuItemsProps {
  button: ComponentProps<'button'>;
  onGo: () => void;
}

export function PersonMenuItems({ button, onGo }: PersonMenuItemsProps) {
  // Ends the session here and in every other tab.
  const leave = useWrite({
    mutationFn: signOut,
    onError: (error) => notifications.show({ message: `Not signed out: ${errorLine(error)}`, color: 'red' }),
  });
  return (
    <OpenedMenu button={button} width={200}>
      <Menu.Dropdown aria-label="Signed in">
        <Menu.Item component={Link} to={paths.settings()} leftSection={<IconSettings {...icon} />} onClick={onGo}>
          Settings
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout {...icon} />} onClick={() => leave.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </OpenedMenu>
  );
}
