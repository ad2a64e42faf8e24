// A line of text between two signs, without what Mantine's field brings for labels and errors: every visit to the device
// table loads it.
import type { ComponentProps, ReactNode } from 'react';
import classes from './plain-input.module.css';

interface PlainInputProps extends ComponentProps<'input'> {
  before: ReactNode;
  after: ReactNode;
}

export function PlainInput({ before, after, className = '', ...input }: PlainInputProps) {
  return (
    <div className={`${classes.field} ${className}`}>
      <span className={classes.sign}>{before}</span>
      <input {...input} />
      <span className={classes.sign}>{after}</span>
    </div>
  );
}
