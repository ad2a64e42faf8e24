// What the devices of a group said: the words they share, and marked what differs from one to the next.
import type { FailureGroup } from '#/jobs/failures/grouper.ts';
import { visible } from '#/ui/log-view-glyphs.ts';
import classes from './failures.module.css';

/** The same as plain text, for names of things. */
const titleText = ({ title, ended, exitCodes: [first] }: FailureGroup): string =>
  title.length > 0
    ? title.map(({ text, spaced }) => `${spaced ? ' ' : ''}${text}`).join('')
    : `${ended === 'Failed' ? '' : `${ended}, `}said nothing${first ? `, exit code ${first.code}` : ''}`.replace(
        /^s/,
        'S',
      );

export function GroupTitle({ group }: { group: FailureGroup }) {
  if (group.title.length === 0) return <span className={classes['silent']}>{titleText(group)}</span>;
  return (
    <code className={classes['title']}>
      {group.isLast && <span className={classes['last']}>No error said. Last line: </span>}
      {group.title.map(({ text, spaced, varies, values }, place) => (
        // The pieces of a line have no other name than their place.
        <span key={place}>
          {spaced && place > 0 && ' '}
          {varies ? (
            <span
              className={classes['varies']}
              title={values.length > 1 ? `Differs: ${values.map(visible).join(' · ')} …` : 'Differs'}
            >
              {visible(text)}
            </span>
          ) : (
            <strong>{visible(text)}</strong>
          )}
        </span>
      ))}
    </code>
  );
}
