// The browser's own select. Ours, since every visit to the device table loads it, and Mantine's brings what all its fields
// can have: labels, errors, a button that clears.
import type { ComponentProps } from 'react';
import classes from './plain-select.module.css';

interface PlainSelectProps extends Omit<ComponentProps<'select'>, 'size'> {
  data: readonly { value: string; label: string }[];
  size?: 'xs' | 'sm';
}

export function PlainSelect({ data, size = 'sm', className = '', ...select }: PlainSelectProps) {
  return (
    <div className={`${classes.field} ${className}`} data-size={size}>
      <select {...select}>
        {data.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <svg width="16" height="16" viewBox="0 0 15 15" fill="none" stroke="currentColor" aria-hidden>
        <path d="M5 5.8l2.5-2.5L10 5.8M5 9.2l2.5 2.5L10 9.2" />
      </svg>
    </div>
  );
}
