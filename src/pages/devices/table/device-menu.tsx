// What can be done to one row of the device table. A plain button until it is first used: there are up to 1,000 of them.
import { IconDots } from '@tabler/icons-react';
import { lazyMenu } from '#/ui/late/lazy-dialog.tsx';
import classes from './device-menu.module.css';

const DeviceMenuItems = lazyMenu(() => import('./device-menu-items.tsx'), 'DeviceMenuItems');

export function DeviceMenu({ id, name }: { id: string; name: string }) {
  const button = {
    className: classes.button,
    'aria-label': `Actions for ${name}`,
    'aria-haspopup': 'menu',
    children: <IconDots size={18} stroke={1.6} aria-hidden />,
  } as const;
  return <DeviceMenuItems id={id} button={button} />;
}
