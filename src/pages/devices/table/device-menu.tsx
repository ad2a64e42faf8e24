// What can be done to one row of the device table. A plain button until it is first used: there are up to 1,000 of them.
import { Suspense, lazy } from 'react';
import { IconDots } from '@tabler/icons-react';
import { useMenuPreload } from '#/ui/late/use-menu-later.ts';
import classes from './device-menu.module.css';

const loadMenu = () => import('./device-menu-items.tsx');
const DeviceMenuItems = lazy(async () => ({ default: (await loadMenu()).DeviceMenuItems }));

export function DeviceMenu({ id, name }: { id: string; name: string }) {
  const { used, handlers } = useMenuPreload(loadMenu);
  const button = {
    className: classes['button'],
    'aria-label': `Actions for ${name}`,
    'aria-haspopup': 'menu',
    children: <IconDots size={18} stroke={1.6} aria-hidden />,
  } as const;
  const plain = <button {...button} type="button" {...handlers} />;
  return used ? (
    <Suspense fallback={plain}>
      <DeviceMenuItems id={id} button={button} />
    </Suspense>
  ) : (
    plain
  );
}
