// A live region for screen readers. They often skip a region that appears together with its text.
import type { ComponentProps } from 'react';

/** Render it even while it is empty; it takes no room then. */
export const Status = ({ className = '', ...rest }: ComponentProps<'span'>) => (
  <span role="status" className={`status ${className}`} {...rest} />
);
