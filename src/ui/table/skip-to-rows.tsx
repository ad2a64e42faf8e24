// From the search of a list past all its filters and the heads of its columns; seen when the keyboard comes to it.
import classes from './skip-to-rows.module.css';

function focusFirstRow(): void {
  const rows = document.querySelector('main tbody');
  (rows?.querySelector<HTMLElement>('a[href]') ?? rows?.querySelector<HTMLElement>('button, input'))?.focus();
}

/** After the search field. */
export const SkipToRows = () => (
  <button type="button" className={classes.skip} onClick={focusFirstRow}>
    Skip to the rows
  </button>
);
