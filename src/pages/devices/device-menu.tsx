// What can be done to one row of the device table. A plain button until it is first used: the menu behind it costs too
// much to load before the table, and to have one ready in each of up to 1,000 rows.
import { Suspense, lazy, useState } from 'react';
import { notifications } from '@mantine/notifications';
import { IconDots } from '@tabler/icons-react';
import classes from './device-menu.module.css';

const loadMenu = () => import('./device-menu-items.tsx');
const OpenedMenu = lazy(async () => ({ default: (await loadMenu()).OpenedMenu }));

/** The pointer or the focus is here: the click may follow. */
const prepare = () => void loadMenu().catch(() => {});

export function DeviceMenu({ id, name }: { id: string; name: string }) {
  const [used, setUsed] = useState(false);
  const button = {
    className: classes['button'],
    'aria-label': `Actions for ${name}`,
    'aria-haspopup': 'menu',
    children: <IconDots size={18} stroke={1.6} aria-hidden />,
  } as const;
  const open = () =>
    void loadMenu().then(
      () => setUsed(true),
      () => notifications.show({ message: 'The menu could not be loaded. Reload the page.', color: 'red' }),
    );
  const plain = <button {...button} type="button" onClick={open} onPointerEnter={prepare} onFocus={prepare} />;
  return used ? (
    <Suspense fallback={plain}>
      <OpenedMenu id={id} button={button} />
    </Suspense>
  ) : (
    plain
  );
}
