// The map of an empty fleet.
import { Link } from 'react-router';
import { Button } from '@mantine/core';
import { useOwnAgent } from '#/api/own-agent.ts';
import { paths } from '#/paths.ts';
import { Empty } from '#/ui/page/view.tsx';
import classes from './map-page.module.css';

export function NoFleet() {
  const hasOwnAgent = useOwnAgent();
  return (
    <div className={classes.none}>
      <Empty
        title="There are no devices yet."
        action={
          <>
            {hasOwnAgent && (
              <Button component={Link} to={paths.addThisMachine()}>
                Add this machine
              </Button>
            )}
            <Button component={Link} to={paths.addDevice()} variant={hasOwnAgent ? 'default' : 'filled'}>
              Add a device
            </Button>
          </>
        }
      >
        Once a device has a location it shows up here.
      </Empty>
    </div>
  );
}
