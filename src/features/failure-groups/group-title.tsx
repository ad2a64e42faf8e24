// The line that the devices of a group printed: the shared words, and highlighted what differs between devices.
import type { FailureGroup, TitlePiece } from './shown-group.ts';
import { visible } from '#/lib/glyphs.ts';
import classes from './failure-groups.module.css';

/** The title of a group without output, of which only the exit code is known. */
const silentText = ({ exitCodes: [first] }: FailureGroup): string =>
  `Said nothing${first ? `, exit code ${first.code}` : ''}`;

/** Joins consecutive pieces that every device printed. */
function joined(title: readonly TitlePiece[]): TitlePiece[] {
  const pieces: TitlePiece[] = [];
  for (const piece of title) {
    const before = pieces.at(-1);
    if (before && !before.varies && !piece.varies) before.text += `${piece.spaced ? ' ' : ''}${piece.text}`;
    else pieces.push({ ...piece });
  }
  return pieces;
}

/** What the devices of a group printed, as a plain line. */
export const groupText = (group: FailureGroup): string =>
  group.title.map(({ text, spaced }, at) => `${spaced && at > 0 ? ' ' : ''}${visible(text)}`).join('') ||
  silentText(group);

export function GroupTitle({ group }: { group: FailureGroup }) {
  if (group.title.length === 0) return <span className="dim">{silentText(group)}</span>;
  return (
    <code className={classes.title}>
      {group.isLast && <span className={classes.last}>No error message. Last line: </span>}
      {joined(group.title).map(({ text, spaced, varies, values }, index) => (
        // The pieces of a line have no key other than their index.
        <span key={index}>
          {spaced && index > 0 && ' '}
          {varies ? (
            <span
              className={classes.varies}
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
