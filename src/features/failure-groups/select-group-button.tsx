// Selects the devices of a group of failures, and shows them where the selection can be changed.
import { useNavigate } from 'react-router';
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { selection } from '#/features/bulk/selection.ts';
import { paths } from '#/paths.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { focusPage } from '#/ui/dialog/use-focus-back.ts';

/** Why nothing can be done with the devices of a group. */
export const UNKNOWN_DEVICES = 'The service does not say which devices these are';

export function SelectGroupButton({ ids }: { ids: string[] }) {
  const navigate = useNavigate();
  const choose = (to: string) => {
    selection.set(ids);
    void navigate(to);
    focusPage();
  };
  const button = (
    <Button size="xs" rightSection={<IconChevronDown size={16} stroke={1.6} aria-hidden />}>
      Select
    </Button>
  );
  if (ids.length === 0) return <Gate why={UNKNOWN_DEVICES}>{button}</Gate>;
  return (
    <Menu position="bottom-start" shadow="none" withInitialFocusPlaceholder={false}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown aria-label="Select these devices">
        <Menu.Item onClick={() => choose(paths.devices())}>In the device table</Menu.Item>
        <Menu.Item onClick={() => choose(paths.map())}>On the map</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
