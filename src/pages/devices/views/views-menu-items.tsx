// The menu of saved views: to show one, to save the present one, to share it, and to carry all of them elsewhere.
import type { ComponentProps, ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Menu } from '@mantine/core';
import {
  IconBookmarkPlus,
  IconCheck,
  IconColumns3,
  IconDeviceFloppy,
  IconDownload,
  IconLink,
  IconPencil,
  IconRocket,
  IconTrash,
  IconUpload,
} from '@tabler/icons-react';
import { devicesText } from '#/lib/format.ts';
import { transferDevices } from '#/features/bulk/device-transfer.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';
import { paths } from '#/paths.ts';
import { copyWithNotice } from '#/ui/controls/copy-text.ts';
import { OpenedMenu } from '#/ui/controls/opened-menu.tsx';
import { printViews } from './saved-views.ts';
import type { DeviceView } from '#/pages/devices/view/use-device-view.ts';
import type { ViewTask } from './views-dialog.tsx';
import classes from './views-parts.module.css';

const icon = { size: 16, stroke: 1.6, 'aria-hidden': true } as const;

interface ViewsMenuItemsProps {
  view: DeviceView;
  matching: readonly string[] | undefined;
  button: ComponentProps<'button'>;
  onGo: (search: string) => void;
  onTask: (task: ViewTask) => void;
}

export function ViewsMenuItems({ view, matching, button, onGo, onTask }: ViewsMenuItemsProps) {
  const { saved, applied, isChanged, isForeign, words } = view;
  const { views, onlyHeld } = saved;
  const navigate = useNavigate();
  const saveChanges = () => {
    if (applied) saved.change((all) => all.map((each) => (each.id === applied.id ? { ...each, words } : each)));
  };
  const copy = () =>
    void copyWithNotice(
      `${location.origin}${paths.devices()}?${words}`,
      'Link copied, with filters, sort, columns and row height',
    );
  return (
    <OpenedMenu button={button} width={270}>
      <Menu.Dropdown aria-label="Views">
        {views.length > 0 && (
          <div className={classes.views}>
            <Item isShown={!applied && !isForeign} onClick={() => onGo('')}>
              All devices
            </Item>
            {views.map((each) => (
              <Item key={each.id} isShown={each === applied} onClick={() => onGo(view.searchOf(each))}>
                <bdi className={classes.name} title={each.name}>
                  {each.name}
                </bdi>
              </Item>
            ))}
            <Menu.Divider />
          </div>
        )}
        {applied && isChanged && (
          <Menu.Item leftSection={<IconDeviceFloppy {...icon} />} onClick={saveChanges}>
            Save changes
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconBookmarkPlus {...icon} />} onClick={() => onTask('save')}>
          Save as a new view
        </Menu.Item>
        <Menu.Item leftSection={<IconLink {...icon} />} onClick={copy}>
          Copy link to this view
        </Menu.Item>
        {matching && matching.length > 0 && (
          <Menu.Item
            leftSection={<IconRocket {...icon} />}
            onClick={() => void navigate(paths.deploy({ selection: transferDevices(matching) }))}
          >
            Deploy to {matching.length === 1 ? 'this device' : `these ${devicesText(matching.length)}`}
          </Menu.Item>
        )}
        {isForeign && (
          <Menu.Item leftSection={<IconColumns3 {...icon} />} onClick={() => onGo(view.ownSearch)}>
            Use my columns
          </Menu.Item>
        )}
        {applied && (
          <>
            <Menu.Item leftSection={<IconPencil {...icon} />} onClick={() => onTask('rename')}>
              Rename
            </Menu.Item>
            <Menu.Item leftSection={<IconTrash {...icon} />} onClick={() => onTask('delete')}>
              Delete view
            </Menu.Item>
          </>
        )}
        <Menu.Divider />
        <Menu.Item leftSection={<IconUpload {...icon} />} onClick={() => onTask('import')}>
          Import views
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDownload {...icon} />}
          disabled={views.length === 0}
          title={views.length === 0 ? 'No saved views yet' : ''}
          onClick={() => saveFile(datedName('device-views', new Date(), 'json'), printViews(views), 'application/json')}
        >
          Export all views
        </Menu.Item>
        {onlyHeld && (
          <Menu.Label>This browser blocks storage: export the views, or lose them with this page.</Menu.Label>
        )}
      </Menu.Dropdown>
    </OpenedMenu>
  );
}

/** A view, marked where it is shown. */
function Item(props: { isShown: boolean; onClick: () => void; children: ReactNode }) {
  return (
    <Menu.Item
      onClick={props.onClick}
      leftSection={
        <span className={classes.mark}>
          {props.isShown && <IconCheck size={16} stroke={2} aria-label="Shown now" />}
        </span>
      }
    >
      {props.children}
    </Menu.Item>
  );
}
