// The views menu of the device table and the map: a plain button with the name of the view, until it is first used.
import { IconBookmark, IconChevronDown } from '@tabler/icons-react';
import { lazyDialog, lazyMenu } from '#/ui/late/lazy-dialog.tsx';
import type { ShownView } from './use-saved-views.ts';
import type { ViewTask } from './views-dialog.tsx';
import classes from './views-menu.module.css';

const ViewsMenuItems = lazyMenu(() => import('./views-menu-items.tsx'), 'ViewsMenuItems');
const ViewsDialog = lazyDialog(() => import('./views-dialog.tsx'), 'ViewsDialog');

interface ViewsMenuProps {
  view: ShownView;
  /** The devices that it shows, if all of them are known. */
  matching: readonly string[] | undefined;
  /** Goes to another view; Back comes back. */
  onGo: (search: string) => void;
  task: ViewTask | undefined;
  onTask: (task: ViewTask | undefined) => void;
}

export function ViewsMenu({ view, matching, onGo, task, onTask }: ViewsMenuProps) {
  const { applied, isChanged, isForeign } = view;
  const button = {
    className: classes.button,
    'aria-haspopup': 'menu',
    children: (
      <>
        <IconBookmark size={18} stroke={1.6} aria-hidden />
        <span className="visually-hidden">View: </span>
        <bdi className="truncate">{applied?.Name ?? (isForeign ? 'From a link' : 'Views')}</bdi>
        {isChanged && <span className={classes.changed}>changed</span>}
        <IconChevronDown size={14} stroke={1.6} aria-hidden />
      </>
    ),
  } as const;
  return (
    <>
      <ViewsMenuItems view={view} matching={matching} button={button} onGo={onGo} onTask={onTask} />
      <ViewsDialog open={task && { task, view, onGo, onClose: () => onTask(undefined) }} />
    </>
  );
}
