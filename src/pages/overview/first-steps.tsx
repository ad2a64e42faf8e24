// The way from an empty account to a device that ran its first job.
import { Link } from 'react-router';
import { Button } from '@mantine/core';
import { useOwnAgent } from '#/api/own-agent.ts';
import { paths } from '#/paths.ts';
import classes from './overview-page.module.css';

export function FirstSteps() {
  const hasOwnAgent = useOwnAgent();
  return (
    <section className={classes['steps']} aria-label="First steps">
      <h2>Three steps to a first update</h2>
      <ol>
        <li>
          {hasOwnAgent ? (
            <>
              <strong>Add this machine.</strong> One command in a terminal turns the computer in front of you into a
              device.
            </>
          ) : (
            <>
              <strong>Add a device.</strong> It gets a key, with which the agent of the service signs in.
            </>
          )}
          <div>
            {hasOwnAgent && (
              <Button component={Link} to={paths.addThisMachine()} size="xs">
                Add this machine
              </Button>
            )}
            <Button component={Link} to={paths.addDevice()} size="xs" variant={hasOwnAgent ? 'default' : 'filled'}>
              Add a device
            </Button>
          </div>
        </li>
        <li>
          <strong>Upload an artifact.</strong> A tar.gz with an update.sh inside, or a script.{' '}
          <Link to={paths.artifacts()}>Go to Artifacts</Link>
        </li>
        <li>
          <strong>Deploy it.</strong> To the device or its group, and read along while it runs.{' '}
          <Link to={paths.deploy()}>Go to Deploy</Link>
        </li>
      </ol>
    </section>
  );
}
