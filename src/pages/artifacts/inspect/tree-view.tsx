// The files of an archive as a tree: virtualized, since archives contain thousands, with the keyboard support of the ARIA
// tree pattern.
import { useRef, useState, type KeyboardEvent } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  IconArrowRight,
  IconCheck,
  IconChevronRight,
  IconFile,
  IconFolder,
  IconLink,
  IconMinus,
} from '@tabler/icons-react';
import { formatBytes, counted } from '#/lib/format.ts';
import { toggled } from '#/lib/toggled.ts';
import { modeText, seenRows, type TreeRow } from './archive-tree.ts';
import classes from './tree-view.module.css';

/** Up to this many rows all folders start open; beyond that, only the outermost. */
const OPEN_AT_FIRST = 200;
const ROW_HEIGHT = 26;

function closedAtFirst(rows: readonly TreeRow[]): ReadonlySet<string> {
  if (rows.length <= OPEN_AT_FIRST) return new Set();
  // A single top folder has no meaning of its own.
  const lone = rows.filter(({ depth }) => depth === 1).length === 1;
  return new Set(
    rows
      .filter(({ kind, depth, hidesRefused }) => kind === 'folder' && depth > (lone ? 1 : 0) && !hidesRefused)
      .map(({ path }) => path),
  );
}

export interface TreeMarks {
  /** For each row; 'mixed' for a folder of which only some files are included. */
  taken: readonly (boolean | 'mixed')[];
  /** Why a row is left out. */
  note: (row: TreeRow) => string | undefined;
  onTake: (row: TreeRow, take: boolean) => void;
  /** Makes a file executable, or not any more. */
  onRuns: (row: TreeRow) => void;
}

export function TreeView({ name, rows, marks }: { name: string; rows: readonly TreeRow[]; marks?: TreeMarks }) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(() => {
    const out = rows.filter(({ kind }, index) => kind === 'folder' && marks?.taken[index] === false);
    return new Set([...closedAtFirst(rows), ...out.map(({ path }) => path)]);
  });
  const [current, setCurrent] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const seen = seenRows(rows, closed);
  const at = Math.max(0, seen.indexOf(current));
  const list = useVirtualizer({
    count: seen.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });

  const go = (rowIndex: number) => {
    const to = Math.min(Math.max(0, rowIndex), seen.length - 1);
    setCurrent(seen[to] ?? 0);
    list.scrollToIndex(to);
  };
  const toggle = ({ path }: TreeRow) => setClosed(toggled(closed, path));
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[seen[at] ?? 0];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const folder = row.kind === 'folder';
    const open = folder && !closed.has(row.path);
    const folderAbove = seen.findLastIndex((each, index) => index < at && (rows[each]?.depth ?? 0) < row.depth);
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 1);
    const keys = new Map(
      Object.entries<() => void>({
        ArrowDown: () => go(at + 1),
        ArrowUp: () => go(at - 1),
        PageDown: () => go(at + page),
        PageUp: () => go(at - page),
        Home: () => go(0),
        End: () => go(seen.length - 1),
        ArrowRight: () => (open ? go(at + 1) : folder && toggle(row)),
        ArrowLeft: () => (open ? toggle(row) : go(folderAbove === -1 ? at : folderAbove)),
        Enter: () => folder && toggle(row),
        ' ': () => (marks ? marks.onTake(row, marks.taken[seen[at] ?? 0] !== true) : folder && toggle(row)),
        ...(marks && { x: () => !folder && marks.onRuns(row) }),
      }),
    );
    const act = keys.get(event.key);
    if (!act) return;
    event.preventDefault();
    act();
  };

  return (
    <div
      ref={scroller}
      role="tree"
      aria-label={name}
      aria-activedescendant={rows.length > 0 ? idOf(name, seen[at] ?? 0) : undefined}
      tabIndex={0}
      className={classes.tree}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: list.getTotalSize() }} className={classes.all}>
        {list.getVirtualItems().map(({ index, start }) => {
          const rowIndex = seen[index] ?? 0;
          const row = rows[rowIndex];
          return row ? (
            <Row
              key={row.path}
              id={idOf(name, rowIndex)}
              row={row}
              start={start}
              open={row.kind === 'folder' ? !closed.has(row.path) : undefined}
              current={index === at}
              taken={marks?.taken[rowIndex]}
              note={marks?.note(row)}
              onChoose={(part) => {
                setCurrent(rowIndex);
                if (part === 'take') marks?.onTake(row, marks.taken[rowIndex] !== true);
                else if (row.kind === 'folder') toggle(row);
                else if (part === 'runs') marks?.onRuns(row);
              }}
            />
          ) : null;
        })}
      </div>
    </div>
  );
}

const idOf = (name: string, rowIndex: number) => `tree-${name.replaceAll(/\W/g, '-')}-${rowIndex}`;

interface RowProps {
  id: string;
  row: TreeRow;
  start: number;
  open: boolean | undefined;
  current: boolean;
  taken: boolean | 'mixed' | undefined;
  note: string | undefined;
  /** `part`: what of the row was clicked. */
  onChoose: (part: string | undefined) => void;
}

/** "one file", "12 files" */
export const filesText = (count: number): string => (count === 1 ? 'one file' : counted(count, 'file'));

const ICONS = { folder: IconFolder, 'symbolic link': IconLink, 'hard link': IconLink } as const;
const hasIcon = (kind: string): kind is keyof typeof ICONS => Object.hasOwn(ICONS, kind);

function Row({ id, row, start, open, current, taken, note, onChoose }: RowProps) {
  const Icon = hasIcon(row.kind) ? ICONS[row.kind] : IconFile;
  return (
    // The tree itself takes the keys: rows come and go as it scrolls.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={row.depth}
      aria-setsize={row.siblings}
      aria-posinset={row.position}
      aria-expanded={open}
      aria-selected={current}
      aria-checked={taken}
      className={classes.row}
      data-refused={row.refused || undefined}
      style={{ transform: `translateY(${start}px)`, paddingLeft: 8 + 16 * (Math.min(row.depth, 12) - 1) }}
      onClick={({ target }) => onChoose((target as Element).closest<HTMLElement>('[data-part]')?.dataset['part'])}
    >
      <IconChevronRight
        size={14}
        stroke={1.6}
        aria-hidden
        className={`${classes.chevron} turns`}
        data-shown={open !== undefined}
      />
      {taken === undefined ? (
        <Icon size={16} stroke={1.6} aria-hidden className={classes.icon} />
      ) : (
        <span data-part="take" data-taken={taken} className={classes.box}>
          {taken === true && <IconCheck size={12} stroke={2.4} aria-hidden />}
          {taken === 'mixed' && <IconMinus size={12} stroke={2.4} aria-hidden />}
        </span>
      )}
      <span className={classes.name} title={row.name}>
        {row.name}
        {row.target && (
          <span className="dim">
            {' '}
            <IconArrowRight size={12} stroke={1.6} aria-label="links to" /> {row.target}
          </span>
        )}
        {note && <span className={classes.note}>{note}</span>}
        {row.refused && <span className={classes.refused}>refused</span>}
      </span>
      <span className={`${classes.size} tabular dim`}>
        {row.kind === 'folder' && `${filesText(row.files)}, `}
        {formatBytes(row.size)}
      </span>
      <span
        className={`${classes.mode} mono dim`}
        {...(taken !== undefined && row.kind !== 'folder' && { 'data-part': 'runs', title: 'Executable or not (x)' })}
        data-runs={((row.mode ?? 0) & 0o111) !== 0 || undefined}
      >
        {row.mode !== undefined && modeText(row.mode)}
      </span>
    </div>
  );
}
