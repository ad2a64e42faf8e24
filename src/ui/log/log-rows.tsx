// The text of a log: the rows in view, in a box that scrolls as if all of them were there.
import type { CSSProperties, ClipboardEvent } from 'react';
import { Button } from '@mantine/core';
import { IconArrowBarToDown } from '@tabler/icons-react';
import { counted } from '#/lib/format.ts';
import type { LineMark } from './line-marks.ts';
import { LogRow } from './log-row.tsx';
import { piecesOf } from './pieces.ts';
import type { DrawnRow } from './read-rows.ts';
import type { LogLook } from './log-toolbar.tsx';
import type { LogReader } from './use-log-reader.ts';
import classes from './log-view.module.css';

/** More rows than any window shows. A row that enters the view reuses the elements of one that left it. */
const ELEMENTS = 512;

/** Width of the column of line numbers. */
const digits = (lines: number) => ({ '--log-digits': Math.max(3, String(lines).length) }) as CSSProperties;

interface LogRowsProps {
  name: string;
  reader: LogReader;
  rows: readonly DrawnRow[];
  look: LogLook;
  mark: LineMark | undefined;
  live: boolean;
  onLine: (stream: string, line: number, shift: boolean) => void;
  onCopy: (event: ClipboardEvent) => void;
}

export function LogRows({ name, reader, rows, look, mark, live, onLine, onCopy }: LogRowsProps) {
  const { scroller, layout, first, lines, search, follow, fresh, setFollow, onScroll } = reader;
  return (
    <div className={classes.frame}>
      <div
        ref={scroller}
        data-log
        role="region"
        aria-label={`${name}, text`}
        // Thousands of lines may arrive in a second: too many to announce.
        aria-live="off"
        tabIndex={0}
        className={classes.scroller}
        data-wrap={look.wrap || undefined}
        style={digits(lines)}
        onScroll={onScroll}
        onCopy={onCopy}
      >
        <span data-ruler aria-hidden className={classes.ruler} />
        <div data-canvas className={classes.canvas} style={{ height: layout.total }}>
          <div className={classes.rows} style={{ transform: `translateY(${layout.topOf(first)}px)` }}>
            {rows.map(({ item, block, row, parts, number, line }) =>
              row === undefined ? (
                <div key={`name-${item}`} className={classes.heading}>
                  {block.stream.name}
                  {block.position > 0 && <span> · order of arrival not known</span>}
                </div>
              ) : (
                <LogRow
                  key={item % ELEMENTS}
                  item={item}
                  pieces={piecesOf(parts, search.hitsAt(block.stream.name, row))}
                  number={look.numbers ? number : undefined}
                  error={block.stream.error ?? false}
                  marked={mark?.stream === block.stream.name && line >= mark.from && line <= mark.to}
                  onLine={(at, shift) => onLine(block.stream.name, at, shift)}
                />
              ),
            )}
          </div>
        </div>
      </div>
      {live && !follow && (
        <Button
          variant="filled"
          size="xs"
          className={classes.follow}
          leftSection={<IconArrowBarToDown size={16} stroke={1.6} aria-hidden />}
          aria-label={fresh > 0 ? `Follow: ${counted(fresh, 'new line')}` : 'Follow'}
          title="Follow the end (f)"
          onClick={() => setFollow(true)}
        >
          {fresh > 0 ? counted(fresh, 'new line') : 'Follow'}
        </Button>
      )}
    </div>
  );
}
