// Marks a waiting job as stale: shape and word, then the reasons.
import { IconHourglassEmpty } from '@tabler/icons-react';
import { staleText, type StaleReason } from './stale.ts';
import classes from './stale-mark.module.css';

export function StaleMark({ reasons }: { reasons: readonly StaleReason[] }) {
  return (
    <span className={classes.stale}>
      <IconHourglassEmpty size={14} stroke={1.8} aria-hidden />
      <span>
        <strong>Stale</strong>{' '}
        {reasons.map((reason, index) => (
          <span key={reason.kind}>
            {index > 0 && '; '}
            <bdi>{staleText(reason)}</bdi>
          </span>
        ))}
      </span>
    </span>
  );
}
