// The active filters of a list, each with a button that removes it.
import { IconX } from '@tabler/icons-react';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import classes from './active-filters.module.css';

export interface ActiveFilter {
  key: string;
  label?: string;
  value: string;
  remove: () => void;
  /** Its own control shows it, unless it is in the sheet of a phone. */
  hasControl?: boolean;
}

export function ActiveFilters({ filters }: { filters: readonly ActiveFilter[] }) {
  if (filters.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label="Filters in use">
      {filters.map(({ key, label, value, remove }) => (
        <li key={key}>
          {label && <span className="dim">{label}</span>} <MiddleEllipsis className="truncate" text={value} />
          <button
            type="button"
            className="bare dim"
            aria-label={`Remove ${label ? `${label} ` : ''}${value}`}
            onClick={remove}
          >
            <IconX size={14} stroke={1.8} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The choice of a list as an active filter; none if it is what the list begins with. */
export function chosenFilter(
  label: string,
  value: string | number | undefined,
  options: readonly (string | { value: string; label: string })[],
  remove: () => void,
): ActiveFilter[] {
  if (value === undefined || value === '') return [];
  const text = String(value);
  const option = options.find((each) => (typeof each === 'string' ? each : each.value) === text);
  const words = typeof option === 'object' ? option.label : text;
  return [{ key: label, label, value: words, remove, hasControl: true }];
}
