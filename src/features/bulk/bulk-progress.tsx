// A bulk action under way: how far it is, how it goes, and Cancel.
import { useState } from 'react';
import { Button } from '@mantine/core';
import { countResults, countsText } from './bulk-results.ts';
import type { RunningBulk } from './use-bulk-run.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import classes from './bulk-dialog.module.css';

const focusOnMount = (node: HTMLElement | null) => node?.focus();

interface BulkProgressProps {
  run: RunningBulk;
  what: string;
  /** So many of what is worked on, where that is not devices. */
  things?: (count: number) => string;
}

export function BulkProgress({ run, what, things = devicesText }: BulkProgressProps) {
  const { total, ended, results, pause, cancelling, cancel } = run;
  // Focus only once: the button is drawn again with each step.
  const [focus] = useState(() => focusOnMount);
  return (
    <div className={classes.steps}>
      <p>
        <strong>
          {formatCount(ended)} of {things(total)}
        </strong>
      </p>
      <progress className={classes.bar} aria-label={what} max={Math.max(1, total)} value={ended} />
      <p className="dim tabular">
        {countsText(countResults(results.values()), formatCount) || 'Nothing has come back yet'}
        {cancelling
          ? ' · waiting for what is under way'
          : pause > 0
            ? ` · the service asked to wait ${formatCount(Math.ceil(pause / 1000))} s`
            : ''}
      </p>
      <div className={classes.buttons}>
        <Button variant="default" ref={focus} onClick={cancel} disabled={cancelling}>
          {cancelling ? 'Cancelling…' : 'Cancel'}
        </Button>
      </div>
    </div>
  );
}
