// The menu of the Tunnels page, from its first use on: the age from which a tunnel is marked, and deleting all.
import type { ComponentProps } from 'react';
import { Menu } from '@mantine/core';
import { IconCheck, IconTrash } from '@tabler/icons-react';
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { useMay } from '#/api/people.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { OpenedMenu } from '#/ui/controls/opened-menu.tsx';
import { useStore } from '#/ui/state/use-store.ts';
import { AGES, daysText, oldAfterDays } from './exposure.ts';

const icon = { size: 16, stroke: 1.6, 'aria-hidden': true } as const;

export function TunnelsMenu({ button, onDeleteAll }: { button: ComponentProps<'button'>; onDeleteAll: () => void }) {
  const days = useStore(oldAfterDays);
  const noDelete = useMay(tunnelEndpoints.removeAll, 'Deleting tunnels');
  return (
    <OpenedMenu button={button} width={220}>
      <Menu.Dropdown>
        <Menu.Label>Mark as old, in this browser</Menu.Label>
        {AGES.map((age) => (
          <Menu.Item
            key={age}
            aria-current={age === days || undefined}
            leftSection={age === days ? <IconCheck {...icon} /> : <span style={{ width: icon.size }} />}
            onClick={() => oldAfterDays.set(age)}
          >
            After {daysText(age)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Gate why={noDelete}>
          <Menu.Item className="danger" leftSection={<IconTrash {...icon} />} onClick={onDeleteAll}>
            Delete all
          </Menu.Item>
        </Gate>
      </Menu.Dropdown>
    </OpenedMenu>
  );
}
