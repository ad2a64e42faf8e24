import { Button } from '@mantine/core';
import { IconDeviceLaptop, IconKey, IconPlus, IconTablePlus } from '@tabler/icons-react';
import { useOffered } from '#/api/capabilities.ts';
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
    enrolment: useOffered('enrolment') && (
      <Button component={Link} to={paths.enrolment()} leftSection={<IconKey {...icon} />}>
        Enrolment
      </Button>
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
  const { addThisMachine, enrolment, addMany, add } = useAddButtons(false);
  return (
    <>
      <span className={classes.wideOnly}>
        {addThisMachine}
        {enrolment}
        {addMany}
      </span>
      {add}
    </>
  );
}
