// How a machine becomes this device. Its key is not known here any more, so the commands have a gap for it.
import { Link } from 'react-router';
import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { Section } from '#/ui/page/page.tsx';
import { KeyCommands } from '#/features/install/key-commands.tsx';
import { useDeviceDialog } from '#/features/device-dialogs/use-device-dialog.ts';
import { useInstall } from '#/features/install/use-install.ts';

export function DeviceInstall() {
  const dialog = useDeviceDialog();
  const { command } = useInstall();
  return (
    <Section
      title="Install"
      lead={`${command ? 'Put the device key where it is marked. ' : ''}A lost key is replaced by a new one.`}
      actions={
        <Button
          component={Link}
          {...dialog.link('new-key')}
          size="xs"
          variant="default"
          leftSection={<IconKey size={16} stroke={1.6} aria-hidden />}
        >
          New key
        </Button>
      }
    >
      <KeyCommands />
    </Section>
  );
}
