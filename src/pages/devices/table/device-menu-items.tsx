// The menu of one row of the device table, from its first use on.
import type { ComponentProps } from 'react';
import { Menu } from '@mantine/core';
import { IconCopy, IconExternalLink, IconMapPin, IconPencil, IconRocket, IconTrash } from '@tabler/icons-react';
import { paths } from '#/paths.ts';
import { copyWithNotice } from '#/ui/controls/copy-text.ts';
import { OpenedMenu } from '#/ui/controls/opened-menu.tsx';
import { useDeviceDialog } from '#/features/device-dialogs/use-device-dialog.ts';
import { Link } from '#/ui/url/link.tsx';
import { deviceEndpoints } from '#/contract/devices.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const icon = { size: 16, stroke: 1.6, 'aria-hidden': true } as const;

export function DeviceMenuItems({ id, button }: { id: string; button: ComponentProps<'button'> }) {
  const dialog = useDeviceDialog();
  const noEdit = useMay(deviceEndpoints.update, 'Editing devices');
  const noPlacing = useMay(deviceEndpoints.locate, 'Setting a location');
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const noDelete = useMay(deviceEndpoints.remove, 'Deleting devices');
  return (
    <OpenedMenu button={button} width={180}>
      <Menu.Dropdown>
        <Menu.Item component={Link} to={paths.device(id)} leftSection={<IconExternalLink {...icon} />}>
          Open
        </Menu.Item>
        <Gate why={noEdit}>
          <Menu.Item component={Link} {...dialog.link('edit', id)} leftSection={<IconPencil {...icon} />}>
            Edit
          </Menu.Item>
        </Gate>
        <Gate why={noPlacing}>
          <Menu.Item component={Link} {...dialog.link('locate', id)} leftSection={<IconMapPin {...icon} />}>
            Set location
          </Menu.Item>
        </Gate>
        <Gate why={noDeploy}>
          <Menu.Item component={Link} to={paths.deploy({ device: id })} leftSection={<IconRocket {...icon} />}>
            Deploy to it
          </Menu.Item>
        </Gate>
        <Menu.Item leftSection={<IconCopy {...icon} />} onClick={() => void copyWithNotice(id, 'Id copied')}>
          Copy id
        </Menu.Item>
        <Menu.Divider />
        <Gate why={noDelete}>
          <Menu.Item
            component={Link}
            {...dialog.link('delete', id)}
            className="danger"
            leftSection={<IconTrash {...icon} />}
          >
            Delete
          </Menu.Item>
        </Gate>
      </Menu.Dropdown>
    </OpenedMenu>
  );
}
