// A mark beside the state of a device whose agent has a problem; its name says which.
import { IconAlertTriangle } from '@tabler/icons-react';
import classes from './agent-mark.module.css';

export function AgentMark({ problem }: { problem: string }) {
  return (
    <span role="img" aria-label={problem} title={problem} className={classes.mark}>
      <IconAlertTriangle size={15} stroke={1.8} aria-hidden />
    </span>
  );
}
