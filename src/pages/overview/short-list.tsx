// A short list of what needs a look; when nothing does, it shows that instead of being left out.
import type { ReactNode } from 'react';
import { IconCheck } from '@tabler/icons-react';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Section } from '#/ui/page/page.tsx';
import { Link } from '#/ui/url/link.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import classes from './short-list.module.css';

interface ShortListProps {
  title: string;
  lead?: ReactNode;
  /** The way to all of it. */
  all?: ReactNode;
  /** Below the rows. */
  more?: ReactNode;
  /** Rows, as list items. */
  children: ReactNode[];
  /** The text when there are none. */
  none: None;
  /** There are none, as it should be. */
  good?: boolean;
}

/** `reading`: nobody knows yet whether there are any. */
interface None {
  text: string;
  reading?: boolean;
}

/** Rows of each short list; the page behind it has the rest. */
export const SHOWN = 6;

export function ShortList({ title, lead, all, more, children, none, good = false }: ShortListProps) {
  return (
    <Section title={title} lead={lead} actions={all}>
      {children.length > 0 ? (
        <ul className={classes.list}>{children}</ul>
      ) : (
        <p className={classes.none} data-good={good || undefined} data-reading={none.reading || undefined}>
          {good && <IconCheck size={16} stroke={1.8} aria-hidden />}
          {none.text}
        </p>
      )}
      {more && <div>{more}</div>}
    </Section>
  );
}

/** A list that could not be read is not an empty one; the reason is shown elsewhere on the page. */
export function noneOf({ data, error }: { data: unknown; error: Error | null }, text: string): None {
  if (data !== undefined) return { text };
  return error ? { text: 'Could not be loaded.' } : { text: 'Reading…', reading: true };
}

interface LineProps {
  name: string;
  to?: string | undefined;
  /** Its mark is before the name. */
  state?: string;
  detail: ReactNode;
  at: ReactNode;
  children?: ReactNode;
}

export function Line({ name, to, state, detail, at, children }: LineProps) {
  const label = <MiddleEllipsis text={name} />;
  const marked = state === undefined ? label : <StateMark state={state} label={label} />;
  return (
    <li>
      <div className={classes.line}>
        <span className={classes.name}>{to === undefined ? marked : <Link to={to}>{marked}</Link>}</span>
        <span className={classes.at}>{at}</span>
        <span className={classes.detail}>{detail}</span>
      </div>
      {children}
    </li>
  );
}
