// Skips from the search of a list past its filters and column headings. Visible only while it has the focus.
import classes from './skip-to-rows.module.css';

function focusFirstRow(): void {
  const rows = document.querySelector('main tbody');
  (rows?.querySelector<HTMLElement>('a[href]') ?? rows?.querySelector<HTMLElement>('button, input'))?.focus();
}

/** Place it after the search field. */
export const SkipToRows = () => (
  <button type="button" className={classes.skip} onClick={focusFirstRow}>
    Skip to the rows
  </button>
);
