// The filters in use, each with a button that removes it.
import { IconX } from '@tabler/icons-react';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import classes from './chips.module.css';

export interface Chip {
  key: string;
  /** What is filtered by; empty where the value says it. */
  label: string;
  value: string;
  onRemove: () => void;
}

/** The chip of a filter, if it is in use. */
export const chip = (label: string, value: string | number | undefined, onRemove: () => void): Chip[] =>
  value ? [{ key: label || String(value), label, value: String(value), onRemove }] : [];

export function Chips({ chips }: { chips: readonly Chip[] }) {
  if (chips.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label="Filters in use">
      {chips.map(({ key, label, value, onRemove }) => (
        <li key={key}>
          {label && <span className="dim">{label}</span>} <MiddleEllipsis className="truncate" text={value} />
          <button
            type="button"
            className="bare dim"
            aria-label={`Remove ${label ? `${label} ` : ''}${value}`}
            onClick={onRemove}
          >
            <IconX size={14} stroke={1.8} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}
