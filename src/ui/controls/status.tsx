// What a screen reader announces when it changes. A region that comes together with its text is often not announced.
import type { ComponentProps } from 'react';

/** Rendered also while there is nothing to announce; empty, it takes no room. */
export const Status = ({ className = '', ...rest }: ComponentProps<'span'>) => (
  <span role="status" className={`status ${className}`} {...rest} />
);
