// Says that a link brought columns of its own, which nothing is kept of unless the reader says so.
import { Button } from '@mantine/core';
import classes from './views-parts.module.css';

export function LinkNote({ onSave, onOwn }: { onSave: () => void; onOwn: () => void }) {
  return (
    <p className={classes.foreign}>
      <span className="dim">Columns and rows are as the link has them.</span>
      <Button size="compact-sm" variant="default" onClick={onSave}>
        Save this view
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={onOwn}>
        Use my columns
      </Button>
    </p>
  );
}
