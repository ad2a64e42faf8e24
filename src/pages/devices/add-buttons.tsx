import { Button } from '@mantine/core';
import { IconDeviceLaptop, IconPlus, IconTablePlus } from '@tabler/icons-react';
import { useOwnAgent } from '#/api/own-agent.ts';
import { addAtOnce } from '#/features/install/at-once.ts';
import { useDeviceDialog } from '#/features/device-dialogs/use-device-dialog.ts';
import { paths } from '#/paths.ts';
import { Link } from '#/ui/url/link.tsx';
import classes from './devices-page.module.css';
import { deviceEndpoints } from '#/contract/devices.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const icon = { size: 18, stroke: 1.6, 'aria-hidden': true } as const;

/** `isFirst`: there is no device yet, so the easiest way to add one is emphasized. */
export function useAddButtons(isFirst: boolean) {
  const hasOwnAgent = useOwnAgent();
  const dialog = useDeviceDialog();
  const noAdding = useMay(deviceEndpoints.create, 'Adding devices');
  return {
    hasOwnAgent,
    addThisMachine: hasOwnAgent && (
      <Gate why={noAdding}>
        <Button
          component={Link}
          {...dialog.link('add-this-machine')}
          {...(isFirst && { onClick: addAtOnce })}
          variant={isFirst ? 'filled' : 'default'}
          leftSection={<IconDeviceLaptop {...icon} />}
        >
          Add this machine
        </Button>
      </Gate>
    ),
    add: (
      <Gate why={noAdding}>
        <Button
          component={Link}
          {...dialog.link('add')}
          variant={isFirst && hasOwnAgent ? 'default' : 'filled'}
          leftSection={<IconPlus {...icon} />}
        >
          Add a device
        </Button>
      </Gate>
    ),
    addMany: (
      <Gate why={noAdding}>
        <Button component={Link} to={paths.addMany()} leftSection={<IconTablePlus {...icon} />}>
          Add many
        </Button>
      </Gate>
    ),
  };
}

export function AddButtons() {
  const { addThisMachine, addMany, add } = useAddButtons(false);
  return (
    <>
      <span className={classes.wideOnly}>
        {addThisMachine}
        {addMany}
      </span>
      {add}
    </>
  );
}
