// The saved views of the device table: a plain button that tells which one is shown, until it is first used.
import { Suspense, lazy } from 'react';
import { IconBookmark, IconChevronDown } from '@tabler/icons-react';
import { useFocusBack } from '#/ui/dialog/use-focus-back.ts';
import { usePreload } from '#/ui/late/use-preload.ts';
import { useMenuPreload } from '#/ui/late/use-menu-later.ts';
import type { DeviceView } from '#/pages/devices/view/use-device-view.ts';
import type { ViewTask } from './views-dialog.tsx';
import classes from './views-menu.module.css';

const loadMenu = () => import('./views-menu-items.tsx');
const ViewsMenuItems = lazy(async () => ({ default: (await loadMenu()).ViewsMenuItems }));
const loadDialog = () => import('./views-dialog.tsx');
const ViewsDialog = lazy(async () => ({ default: (await loadDialog()).ViewsDialog }));

interface ViewsMenuProps {
  view: DeviceView;
  /** The devices that it shows, where all of them are known. */
  matching: readonly string[] | undefined;
  /** Goes to another view; Back comes back. */
  onGo: (params: URLSearchParams) => void;
  /** The dialog that is open. */
  task: ViewTask | undefined;
  onTask: (task: ViewTask | undefined) => void;
}

export function ViewsMenu({ view, matching, onGo, task, onTask }: ViewsMenuProps) {
  const { used, handlers } = useMenuPreload(loadMenu);
  useFocusBack(task !== undefined);
  const dialogHere = usePreload(loadDialog, task !== undefined);
  const { applied, isChanged, isForeign } = view;
  const button = {
    className: classes['button'],
    'aria-haspopup': 'menu',
    children: (
      <>
        <IconBookmark size={18} stroke={1.6} aria-hidden />
        <span className="visually-hidden">View: </span>
        <bdi>{applied?.name ?? (isForeign ? 'From a link' : 'Views')}</bdi>
        {isChanged && <span className={classes['changed']}>changed</span>}
        <IconChevronDown size={14} stroke={1.6} aria-hidden />
      </>
    ),
  } as const;
  const plain = <button {...button} type="button" {...handlers} />;
  return (
    <>
      {used ? (
        <Suspense fallback={plain}>
          <ViewsMenuItems view={view} matching={matching} button={button} onGo={onGo} onTask={onTask} />
        </Suspense>
      ) : (
        plain
      )}
      {task && dialogHere && (
        <Suspense fallback={null}>
          <ViewsDialog task={task} view={view} onGo={onGo} onClose={() => onTask(undefined)} />
        </Suspense>
      )}
    </>
  );
}
