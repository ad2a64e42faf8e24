// The four states of a query: loading, failed, empty, filled. A refetch keeps the old data on the screen.
import { use, useEffect, useState, type ReactNode } from 'react';
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useAway, useOldSince } from './away.ts';
import { DataFrom } from './data-from.tsx';
import { isUnanswered } from '#/lib/retry.ts';
import { UnconfirmedWrite } from '#/lib/unconfirmed-write.ts';
import { isNotLoaded } from '#/ui/late/not-loaded.ts';
import { Link } from '#/ui/url/link.tsx';
import classes from './view.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { ScopeNote } from './scope-note.ts';

/** The part of a React Query result that a view needs. */
interface Reading<Data> {
  data: Data | undefined;
  error: Error | null;
  isFetching: boolean;
  refetch: () => unknown;
  /** When the data was read, in milliseconds since the epoch. */
  dataUpdatedAt?: number | undefined;
}

interface ViewProps<Data> {
  query: Reading<Data>;
  /** What is being loaded, for errors and screen readers: "devices". */
  name: string;
  isEmpty?: (data: Data) => boolean;
  /** Shown instead of the children if there is no data: one sentence and the next action. */
  empty: ReactNode;
  /** How many rows the skeleton has. */
  rows?: number | undefined;
  children: (data: Data) => ReactNode;
}

export function View<Data>({ query, name, isEmpty, empty, rows, children }: ViewProps<Data>) {
  const { data, error, isFetching, refetch, dataUpdatedAt } = query;
  const oldSince = useOldSince(dataUpdatedAt);
  const away = useAway();
  if (data === undefined) return <NoDataYet query={query} name={name} rows={rows} />;
  return (
    <div className="stack" aria-busy={isFetching}>
      {error && !away ? (
        <Failure what={name} error={error} busy={isFetching} onRetry={refetch} stale={dataUpdatedAt ?? true} />
      ) : (
        oldSince !== undefined && (
          <p className="small dim" data-age>
            <DataFrom at={oldSince} />
          </p>
        )
      )}
      {isEmpty?.(data) ? empty : children(data)}
    </div>
  );
}

/** Before there is data: the skeleton, or the error. */
export function NoDataYet({ query, name, rows }: Pick<ViewProps<unknown>, 'query' | 'name' | 'rows'>) {
  const { error, isFetching, refetch } = query;
  return error ? (
    <Failure what={name} error={error} busy={isFetching} onRetry={refetch} />
  ) : (
    <Skeleton name={name} {...(rows && { rows })} />
  );
}

/** What went wrong, with details. The browser's own text for a failed load says little, so it is replaced. */
function wordsOf(error: Error): { title: string; detail: string } {
  if (isNotLoaded(error))
    return { title: 'Part of this page did not load', detail: 'Save what you have typed, then reload the page.' };
  return { title: error.message, detail: 'detail' in error && typeof error.detail === 'string' ? error.detail : '' };
}

/**
 * What went wrong, in the service's words, with Retry. `stale`: older data stays on the screen below, and when it was read
 * if that is known.
 */
export function Failure(props: {
  what: string;
  error: Error;
  busy?: boolean;
  onRetry?: () => unknown;
  stale?: boolean | number;
}) {
  const { what, error, busy = false, onRetry, stale = false } = props;
  // While the service is away nothing is read before it answers.
  const retry = useAway()?.tryNow ?? onRetry;
  const { title, detail } = wordsOf(error);
  return (
    <div role="alert" className={classes.failure}>
      <IconAlertTriangle size={18} stroke={1.6} aria-hidden />
      <div>
        <strong>
          {stale ? `Could not refresh ${what}: ` : `Could not load ${what}: `}
          {title}
        </strong>
        {detail && <p className={classes.detail}>{detail}</p>}
        {typeof stale === 'number' && (
          <p>
            <DataFrom at={stale} />
          </p>
        )}
      </div>
      {isNotLoaded(error) ? (
        <Button size="xs" onClick={() => location.reload()}>
          Reload
        </Button>
      ) : (
        onRetry && (
          <Button size="xs" loading={busy} onClick={() => retry?.()}>
            Retry
          </Button>
        )
      )}
    </div>
  );
}

const BACK = { title: 'The service is back', detail: 'Your change may not have been saved.' };

/** Whether the service was away after this error, which came of that, and answers again. */
function useIsBack(error: Error | null): boolean {
  const isAway = useAway() !== undefined;
  const [lost, setLost] = useState<Error>();
  if (isAway && error && lost !== error && isUnanswered(error)) setLost(error);
  return !isAway && error !== null && lost === error;
}

/** An error of a form or dialog, shown once, above its buttons. `again`: it stands in a form, which can be sent again. */
export function FormError({ error, again = false }: { error: Error | null; again?: boolean }) {
  const isBack = useIsBack(error) && again;
  if (!error) return null;
  const { title, detail } = isBack ? BACK : wordsOf(error);
  const list = error instanceof UnconfirmedWrite ? error.list : undefined;
  return (
    <div role="alert" className={classes.failure}>
      <IconAlertTriangle size={18} stroke={1.6} aria-hidden />
      <div>
        <strong>{title}</strong>
        {detail && <p className={classes.detail}>{detail}</p>}
        {list && <Link to={list.to}>{list.label}</Link>}
      </div>
      {isBack && (
        <Button size="xs" type="submit">
          Try again
        </Button>
      )}
    </div>
  );
}

interface EmptyProps {
  title: string;
  children?: ReactNode;
  /** The link or button that adds the first one; `why`: it is not possible. */
  next?: { label: string; variant?: 'default'; why?: string | undefined } & ({ to: string } | { onClick: () => void });
  /** A custom element instead. */
  action?: ReactNode;
  /** It would list devices or what concerns them, so a limited role is mentioned. */
  scoped?: boolean;
}

/** An empty list: one sentence and the next action. */
export function Empty({ title, children, next, action, scoped = false }: EmptyProps) {
  const note = use(ScopeNote);
  const { label = '', why, ...button } = next ?? {};
  return (
    <div className={classes.empty}>
      <strong>{title}</strong>
      {children && <p>{children}</p>}
      {scoped && note && <p>{note}</p>}
      <div className={classes.emptyActions}>
        {action}
        {'to' in button && (
          <Gate why={why}>
            <Button variant="filled" component={Link} {...button}>
              {label}
            </Button>
          </Gate>
        )}
        {'onClick' in button && (
          <Gate why={why}>
            <Button variant="filled" {...button}>
              {label}
            </Button>
          </Gate>
        )}
      </div>
    </div>
  );
}

/** Grey rows, shown after 200 ms so that fast answers do not flash. */
export function Skeleton({ name, rows = 8 }: { name: string; rows?: number | undefined }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label={`Loading ${name}`} className={classes.skeleton} data-late={late} data-reading>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}
