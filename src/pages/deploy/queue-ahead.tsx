// The unfinished jobs of the devices of a deploy: what runs before it, and what would run twice.
import { paths } from '#/paths.ts';
import { counted, devicesText, formatCount } from '#/lib/format.ts';
import { Link } from '#/ui/url/link.tsx';
import type { Ahead } from './ahead.ts';
import classes from './deploy.module.css';

/** Jobs listed by name; the rest are counted. */
const NAMED = 4;

/** `single`: whether there is only one device, for the wording. */
export function QueueAhead({ ahead, single }: { ahead: Ahead; single: boolean }) {
  if (ahead.jobs === 0) return <p className="dim">Nothing else is queued for {single ? 'it' : 'them'}.</p>;
  const more = ahead.queuedJobs.length - NAMED;
  return (
    <div>
      <p>
        {single ? 'It has' : `${devicesText(ahead.devices)} ${ahead.devices === 1 ? 'has' : 'have'}`}{' '}
        <strong>{counted(ahead.jobs, 'job')} ahead</strong>
      </p>
      <ul className={classes.orders}>
        {ahead.queuedJobs.slice(0, NAMED).map(({ id, name, devices }) => (
          <li key={id}>
            <Link to={paths.job(id)}>{name}</Link>
            {!single && <span className="dim"> on {devicesText(devices)}</span>}
          </li>
        ))}
        {more > 0 && <li className="dim">and {formatCount(more)} more</li>}
      </ul>
    </div>
  );
}

/** Links to the jobs that overlap with this deploy. */
export function Overlaps({ ahead }: { ahead: Ahead }) {
  const { duplicates, overlapping } = ahead;
  if (duplicates.length + overlapping.length === 0) return null;
  return (
    <div role="note" aria-label="Overlapping jobs" className={classes.warning}>
      {duplicates.slice(0, NAMED).map(({ id, name, devices }) => (
        <p key={id}>
          <strong>The same is already queued or running</strong> on {devicesText(devices)}:{' '}
          <Link to={paths.job(id)}>{name}</Link>
        </p>
      ))}
      {duplicates.length > NAMED && <p>and {formatCount(duplicates.length - NAMED)} more such jobs</p>}
      {overlapping.slice(0, NAMED).map(({ id, name }) => (
        <p key={id}>
          <strong>Another job for the same target has not ended:</strong> <Link to={paths.job(id)}>{name}</Link>
        </p>
      ))}
      {overlapping.length > NAMED && <p>and {formatCount(overlapping.length - NAMED)} more</p>}
    </div>
  );
}
