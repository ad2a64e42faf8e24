// Says that a link brought columns of its own. They are not stored unless the reader asks for it.
import { Button } from '@mantine/core';
import classes from './link-note.module.css';

export function LinkNote({ onSave, onOwn }: { onSave: () => void; onOwn: () => void }) {
  return (
    <p className={classes.foreign}>
      <span className="dim">Columns and rows come from the link.</span>
      <Button size="compact-sm" onClick={onSave}>
        Save this view
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={onOwn}>
        Use my columns
      </Button>
    </p>
  );
}
