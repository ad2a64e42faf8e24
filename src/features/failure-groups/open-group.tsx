// What an open group of failures shows: what can be done with exactly its devices, its exact messages, its devices and a log.
import type { ReactNode } from 'react';
import { formatCount } from '#/lib/format.ts';
import { visible } from '#/lib/glyphs.ts';
import type { FailureGroup } from './shown-group.ts';
import classes from './open-group.module.css';

interface OpenGroupProps {
  group: FailureGroup;
  actions: ReactNode;
  devices: ReactNode;
  log: ReactNode;
}

export const OpenGroup = ({ group, actions, devices, log }: OpenGroupProps) => (
  <div className={classes.details}>
    <div className="flow" role="group" aria-label="Actions for this group">
      {actions}
    </div>
    {group.ways.length > 0 && <Ways group={group} />}
    <div className={classes.parts}>
      {devices}
      {log}
    </div>
  </div>
);

/** The different wordings in the group. */
function Ways({ group: { ways } }: { group: FailureGroup }) {
  return (
    <div className={classes.ways}>
      <h3>Exact messages</h3>
      <ul>
        {ways.map(({ line, count }) => (
          <li key={line}>
            <span className="tabular dim">{formatCount(count)} ×</span> <code>{visible(line)}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
