// One row of a log: the mark of its stream, the line number, the text.
import type { AnsiStyle } from './ansi.ts';
import type { Piece } from './pieces.ts';
import classes from './log-view.module.css';

const classOf = ({ fg, bg, bold, dim, italic, underline, strike }: AnsiStyle, glyph: boolean): string | undefined =>
  [
    bg ? classes[`bg-${bg}`] : fg && classes[`fg-${fg}`],
    bold && classes.bold,
    dim && !fg && !bg && classes.faint,
    italic && classes.italic,
    underline && classes.underline,
    strike && classes.strike,
    glyph && classes.glyph,
  ]
    .filter(Boolean)
    .join(' ') || undefined;

/** Scrolls the current match into view horizontally; the list has scrolled vertically. */
const showSideways = (mark: HTMLElement | null) => {
  const scroller = mark?.closest('[data-log]');
  if (!mark || !scroller) return;
  const { left, right } = mark.getBoundingClientRect();
  const frame = scroller.getBoundingClientRect();
  if (left < frame.left + 80 || right > frame.right - 20) scroller.scrollLeft += left - frame.left - 120;
};

interface LogRowProps {
  item: number;
  pieces: Piece[];
  /** 0 if the row continues the line above; undefined if numbers are switched off. */
  number: number | undefined;
  error: boolean;
  /** A link points to it. */
  marked: boolean;
  onLine: (line: number, shift: boolean) => void;
}

export function LogRow({ item, pieces, number, error, marked, onLine }: LogRowProps) {
  return (
    <div data-index={item} className={classes.row} data-error={error || undefined} data-marked={marked || undefined}>
      <span className={classes.gutter}>
        <span className={classes.mark} title={error ? 'stderr' : undefined}>
          {error && (
            <>
              <span aria-hidden>E</span>
              <span className="visually-hidden">stderr: </span>
            </>
          )}
        </span>
        {number !== undefined &&
          (number === 0 ? (
            <span className={classes.number} data-number="↳" aria-hidden />
          ) : (
            <button
              type="button"
              // Not a tab stop, as there may be sixty of them: the key l does the same.
              tabIndex={-1}
              className={classes.number}
              data-number={number}
              aria-label={`Link to line ${number}${error ? ' of stderr' : ''}`}
              onMouseDown={(event) => event.preventDefault()} // Shift would select text
              onClick={(event) => onLine(number, event.shiftKey)}
            />
          ))}
      </span>
      <span data-text className={classes.text}>
        {pieces.map(({ text, style, glyph, hit }, position) =>
          hit === 'none' ? (
            <span key={position} className={classOf(style, glyph)}>
              {text}
            </span>
          ) : (
            <mark
              key={`${position}-${hit}`}
              className={classes.hit}
              data-hit={hit}
              ref={hit === 'current' ? showSideways : undefined}
            >
              {text}
            </mark>
          ),
        )}
      </span>
    </div>
  );
}
