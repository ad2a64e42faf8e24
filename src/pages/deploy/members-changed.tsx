// Between the review and the click others became members: told by name, and accepted before anything is sent.
import { Button } from '@mantine/core';
import { devicesText } from '#/lib/format.ts';
import type { Device } from '#/contract/devices.ts';
import { namesText } from './membership.ts';
import type { MembershipChange } from './membership.ts';
import classes from './deploy.module.css';

interface MembersChangedProps {
  change: MembershipChange;
  /** Takes the devices as they are now for reviewed. */
  onAccept: (devices: Device[]) => void;
}

export function MembersChangedNote({ change: { now, joined, left }, onAccept }: MembersChangedProps) {
  return (
    <div role="alert" className={classes.warning}>
      <p>
        <strong>The devices have changed since the review.</strong> Nothing was sent.
      </p>
      {joined.length > 0 && (
        <p>
          {devicesText(joined.length)} joined: {namesText(joined)}
        </p>
      )}
      {left.length > 0 && (
        <p>
          {devicesText(left.length)} left: {namesText(left)}
        </p>
      )}
      <div className={classes.buttons}>
        <Button variant="default" onClick={() => onAccept(now)}>
          Go on with {devicesText(now.length)}
        </Button>
      </div>
    </div>
  );
}
