// The menu of saved views: to show one, to save the present one, and to share it.
import type { ComponentProps, ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { errorLine } from '#/api/api-error.ts';
import { useOffered } from '#/api/capabilities.ts';
import { saveView } from '#/api/view-writes.ts';
import { viewEndpoints, type SavedView } from '#/contract/views.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import {
  IconArrowBackUp,
  IconBookmarkPlus,
  IconCheck,
  IconDeviceFloppy,
  IconLink,
  IconLock,
  IconPencil,
  IconRocket,
  IconTrash,
  IconUsers,
} from '@tabler/icons-react';
import { devicesText } from '#/lib/format.ts';
import { NO_SELECTION, deployStartOf } from '#/features/bulk/device-transfer.ts';
import { paths } from '#/paths.ts';
import { copyWithNotice } from '#/ui/controls/copy-text.ts';
import { OpenedMenu } from '#/ui/controls/opened-menu.tsx';
import type { ShownView } from './use-saved-views.ts';
import type { ViewTask } from './views-dialog.tsx';
import classes from './views-parts.module.css';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const icon = { size: 16, stroke: 1.6, 'aria-hidden': true } as const;

interface ViewsMenuItemsProps {
  view: ShownView;
  matching: readonly string[] | undefined;
  button: ComponentProps<'button'>;
  onGo: (search: string) => void;
  onTask: (task: ViewTask) => void;
}

export function ViewsMenuItems({ view, matching, button, onGo, onTask }: ViewsMenuItemsProps) {
  const { saved, applied, isChanged, isForeign, words } = view;
  const { views = [], isOffered, error } = saved;
  const navigate = useNavigate();
  const takesSelection = useOffered('jobs') === true;
  const onError = (cause: Error) => notifications.show({ message: errorLine(cause), color: 'red' });
  const write = useWrite({ mutationFn: (work: () => Promise<unknown>) => work(), onError });
  const change = (content: Partial<SavedView>) => {
    if (applied) write.mutate(() => saveView(applied.Name, { ...applied, ...content }, applied));
  };
  // One's own private views concern nobody else.
  const noShare = useMay(viewEndpoints.save, 'Changing shared views', { Private: false });
  const noChange = applied?.Private ? undefined : noShare;
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const copy = () =>
    void copyWithNotice(`${location.origin}${view.path}?${words}`, `Link copied, with ${view.content}`);
  return (
    <OpenedMenu button={button} width={270}>
      <Menu.Dropdown aria-label="Views">
        {views.length > 0 && (
          <div className={classes.views}>
            <Item isShown={!applied && !isForeign} onClick={() => onGo('')}>
              All devices
            </Item>
            {views.map((each) => (
              <Item key={each.Name} isShown={each === applied} onClick={() => onGo(view.searchOf(each))}>
                <span className={classes.view}>
                  <bdi className={classes.name} title={each.Name}>
                    {each.Name}
                  </bdi>
                  {each.Private && <IconLock size={14} stroke={1.6} aria-label="private" />}
                </span>
                <span className={classes.changed}>
                  {each.ChangedByName && `${each.ChangedByName} · `}
                  <Timestamp text={each.ChangedTime} />
                </span>
              </Item>
            ))}
            <Menu.Divider />
          </div>
        )}
        {applied && isChanged && (
          <Gate why={noChange}>
            <Menu.Item
              leftSection={<IconDeviceFloppy {...icon} />}
              onClick={() => change({ Query: view.changedQuery })}
            >
              Save changes
            </Menu.Item>
          </Gate>
        )}
        {isOffered && (
          <Menu.Item leftSection={<IconBookmarkPlus {...icon} />} onClick={() => onTask('save')}>
            Save as a new view
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLink {...icon} />} onClick={copy}>
          Copy link to this view
        </Menu.Item>
        {matching && matching.length > 0 && (
          <Gate why={noDeploy ?? (!takesSelection && matching.length > 1 ? NO_SELECTION : undefined)}>
            <Menu.Item
              leftSection={<IconRocket {...icon} />}
              onClick={() => void navigate(paths.deploy(deployStartOf(matching, takesSelection)))}
            >
              Deploy to {matching.length === 1 ? 'this device' : `these ${devicesText(matching.length)}`}
            </Menu.Item>
          </Gate>
        )}
        {isForeign && (
          <Menu.Item leftSection={<IconArrowBackUp {...icon} />} onClick={() => onGo(view.ownSearch)}>
            Use my columns
          </Menu.Item>
        )}
        {applied && (
          <>
            <Gate why={noChange}>
              <Menu.Item leftSection={<IconPencil {...icon} />} onClick={() => onTask('rename')}>
                Rename
              </Menu.Item>
            </Gate>
            <Gate why={noShare}>
              <Menu.Item
                leftSection={applied.Private ? <IconUsers {...icon} /> : <IconLock {...icon} />}
                onClick={() => change({ Private: !applied.Private })}
              >
                {applied.Private ? 'Share with everyone' : 'Make private'}
              </Menu.Item>
            </Gate>
            <Gate why={noChange}>
              <Menu.Item leftSection={<IconTrash {...icon} />} onClick={() => onTask('delete')}>
                Delete view
              </Menu.Item>
            </Gate>
          </>
        )}
        {error && <Menu.Label>The saved views could not be loaded.</Menu.Label>}
      </Menu.Dropdown>
    </OpenedMenu>
  );
}

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
