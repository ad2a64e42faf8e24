// A column heading that sorts: ascending, descending, then not at all.
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { Sort } from './sort.ts';
import classes from './sort-head.module.css';

interface SortHeadProps {
  /** The column's name in the URL. */
  id: string;
  label: string;
  sort: Sort | undefined;
  onSort: (sort: Sort | undefined) => void;
}

export function SortHead({ id, label, sort, onSort }: SortHeadProps) {
  const now = sort?.by === id ? sort : undefined;
  const next = !now ? { by: id, down: false } : now.down ? undefined : { by: id, down: true };
  const Arrow = now?.down ? IconArrowDown : IconArrowUp;
  return (
    <>
      <button
        type="button"
        className={classes.sort}
        title={next ? `Sort by ${label.toLowerCase()}${next.down ? ', descending' : ''}` : 'Default order'}
        onClick={() => onSort(next)}
      >
        {label}
        {now && <Arrow size={14} stroke={1.8} aria-hidden />}
      </button>
      {/* At phone width the head is only read aloud. */}
      <span className="on-phone">{label}</span>
    </>
  );
}
