// The ways to a first or another device, and what is in the place of rows where there are none.
import { Link } from 'react-router';
import { Button } from '@mantine/core';
import { IconDeviceLaptop, IconPlus, IconTablePlus } from '@tabler/icons-react';
import { useOwnAgent } from '#/api/own-agent.ts';
import { useDeviceDialog } from '#/features/device-dialogs/use-device-dialog.ts';
import { paths } from '#/paths.ts';
import { Empty, Skeleton } from '#/ui/page/view.tsx';
import classes from './devices-page.module.css';

const icon = { size: 18, stroke: 1.6, 'aria-hidden': true } as const;

/** `isFirst`: there is no device yet, and the easiest way to one stands out. */
function useAddButtons(isFirst: boolean) {
  const hasOwnAgent = useOwnAgent();
  const dialog = useDeviceDialog();
  return {
    hasOwnAgent,
    addThisMachine: hasOwnAgent && (
      <Button
        component={Link}
        {...dialog.link('add-this-machine')}
        variant={isFirst ? 'filled' : 'default'}
        leftSection={<IconDeviceLaptop {...icon} />}
      >
        Add this machine
      </Button>
    ),
    add: (
      <Button
        component={Link}
        {...dialog.link('add')}
        variant={isFirst && hasOwnAgent ? 'default' : 'filled'}
        leftSection={<IconPlus {...icon} />}
      >
        Add a device
      </Button>
    ),
    addMany: (
      <Button component={Link} to={paths.addMany()} variant="default" leftSection={<IconTablePlus {...icon} />}>
        Add many
      </Button>
    ),
  };
}

/** In the head of the page. */
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

interface NoRowsProps {
  busy: boolean;
  page: number;
  filtered: boolean;
  onFirstPage: () => void;
  onClear: () => void;
}

export function NoRows({ busy, page, filtered, onFirstPage, onClear }: NoRowsProps) {
  return (
    <div className={classes.nothing}>
      {busy ? (
        <Skeleton name="devices" rows={16} />
      ) : page > 1 ? (
        <Empty
          title={`There is nothing on page ${page}.`}
          action={
            <Button variant="default" onClick={onFirstPage}>
              Back to the first page
            </Button>
          }
        />
      ) : filtered ? (
        <Empty
          title="No device matches these filters."
          action={
            <Button variant="default" onClick={onClear}>
              Clear filters
            </Button>
          }
        />
      ) : (
        <NoDevices />
      )}
    </div>
  );
}

function NoDevices() {
  const { hasOwnAgent, addThisMachine, add, addMany } = useAddButtons(true);
  return (
    <Empty
      title="No devices yet."
      action={
        <>
          {addThisMachine}
          {add}
          {addMany}
        </>
      }
    >
      {hasOwnAgent
        ? 'Start with the machine you are at: one command makes it a device. Or add one that stands elsewhere.'
        : 'Add the first one, or many from a list.'}
    </Empty>
  );
}
