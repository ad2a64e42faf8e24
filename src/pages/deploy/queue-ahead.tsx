// What is already on its way to the devices of a deploy: what runs before it, and what would be done twice.
import { paths } from '#/paths.ts';
import { counted, devicesText, formatCount } from '#/lib/format.ts';
import { Link } from '#/ui/url/link.tsx';
import type { Ahead } from './ahead.ts';
import classes from './deploy.module.css';

/** Orders named one by one; the rest is a number. */
const NAMED = 4;

/** `single`: whether it is one device, for the words. */
export function QueueAhead({ ahead, single }: { ahead: Ahead; single: boolean }) {
  if (ahead.jobs === 0) return <p className="dim">Nothing else is queued for {single ? 'it' : 'them'}.</p>;
  const more = ahead.orders.length - NAMED;
  return (
    <div>
      <p>
        {single ? 'It has' : `${devicesText(ahead.devices)} ${ahead.devices === 1 ? 'has' : 'have'}`}{' '}
        <strong>{counted(ahead.jobs, 'job')} ahead</strong>
      </p>
      <ul className={classes.orders}>
        {ahead.orders.slice(0, NAMED).map(({ id, name, devices }) => (
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

/** What overlaps with this deploy, each with a link to look at. */
export function Overlaps({ ahead }: { ahead: Ahead }) {
  const { twice, beside } = ahead;
  if (twice.length + beside.length === 0) return null;
  return (
    <div role="note" aria-label="Overlapping jobs" className={classes.warning}>
      {twice.slice(0, NAMED).map(({ id, name, devices }) => (
        <p key={id}>
          <strong>The same is already queued or running</strong> on {devicesText(devices)}:{' '}
          <Link to={paths.job(id)}>{name}</Link>
        </p>
      ))}
      {twice.length > NAMED && <p>and {formatCount(twice.length - NAMED)} more such jobs</p>}
      {beside.slice(0, NAMED).map(({ id, name }) => (
        <p key={id}>
          <strong>Another job for the same target has not ended:</strong> <Link to={paths.job(id)}>{name}</Link>
        </p>
      ))}
      {beside.length > NAMED && <p>and {formatCount(beside.length - NAMED)} more</p>}
    </div>
  );
}
