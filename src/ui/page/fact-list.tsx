// The facts of an object, at the top of its page.
import { useState, type ReactNode } from 'react';
import { IconChevronRight } from '@tabler/icons-react';
import classes from './fact-list.module.css';

/** Omitted if the value is false. */
export type Fact = readonly [term: string, value: ReactNode];

interface FactListProps {
  facts: readonly Fact[];
  /** Terms that a phone hides until "All details" is pressed. */
  later: ReadonlySet<string>;
  /** Below the facts; hidden with them on a phone. */
  children?: ReactNode;
}

export function FactList({ facts, later, children }: FactListProps) {
  const [all, setAll] = useState(false);
  return (
    <div className={classes.list} data-all={all || undefined}>
      <dl className={classes.facts}>
        {facts.map(
          ([term, value]) =>
            value !== false && (
              <div key={term} data-later={later.has(term) || undefined}>
                <dt>{term}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {children && <div data-later>{children}</div>}
      <button type="button" className={classes.more} aria-expanded={all} onClick={() => setAll(!all)}>
        <IconChevronRight className="turns" size={16} stroke={1.6} aria-hidden />
        All details
      </button>
    </div>
  );
}
