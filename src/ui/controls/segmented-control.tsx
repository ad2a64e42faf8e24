// One of a few choices, all of them in view: radio buttons that look like one control. Our own, since Mantine's measures
// itself to slide its mark, which weighs as much as the rest of the filter bar that every visit to the table loads.
import { useId, type ReactNode } from 'react';
import classes from './segmented-control.module.css';

interface Choice<Value extends string> {
  value: Value;
  label: ReactNode;
  disabled?: boolean;
}

interface SegmentedControlProps<Value extends string> {
  data: readonly (Value | Choice<Value>)[];
  value: Value;
  onChange: (value: Value) => void;
  size?: 'xs' | 'sm';
  fullWidth?: boolean;
  readOnly?: boolean;
  className?: string | undefined;
  'aria-label'?: string;
  'aria-labelledby'?: string;
}

export function SegmentedControl<Value extends string>({
  data,
  value,
  onChange,
  size = 'sm',
  fullWidth = false,
  readOnly = false,
  className = '',
  ...labels
}: SegmentedControlProps<Value>) {
  const name = useId();
  return (
    <div
      {...labels}
      role="radiogroup"
      className={`${classes.root} ${className}`}
      data-size={size}
      data-full-width={fullWidth || undefined}
      data-read-only={readOnly || undefined}
    >
      {data.map((each) => {
        const choice = typeof each === 'string' ? { value: each, label: each } : each;
        return (
          <label key={choice.value} className={classes.choice}>
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              disabled={choice.disabled}
              onChange={() => !readOnly && onChange(choice.value)}
            />
            {choice.label}
          </label>
        );
      })}
    </div>
  );
}
