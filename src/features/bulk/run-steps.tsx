// The three steps of every run on many items: the plan, the progress, and the results.
import { useMemo, useState, type ReactNode } from 'react';
import { Button } from '@mantine/core';
import { bulkRequests } from '#/api/bulk.ts';
import { useOffered } from '#/api/capabilities.ts';
import { isCount } from './bulk-plan.ts';
import { BulkResultList } from './bulk-result-list.tsx';
import { countResults, countsText, type BulkOutcome, type ResultRow } from './bulk-results.ts';
import type { RunningBulk } from './use-bulk-run.ts';
import { counted, formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import type { CurlRequest } from '#/ui/curl/curl-text.ts';
import { DialogButtons } from '#/ui/dialog/dialog-buttons.tsx';
import { TypedWord } from '#/ui/dialog/typed-word.tsx';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { LeaveGuard } from '#/ui/dialog/leave-guard.tsx';
import { focusOnMount } from '#/ui/dialog/use-focus-back.ts';
import { FormError } from '#/ui/page/view.tsx';
import classes from './bulk-dialog.module.css';

export interface RunStepsProps<Item> {
  run: RunningBulk<Item>;
  items: readonly Item[];
  /** Skipped items with their reasons. */
  skipped?: readonly ResultRow[];
  /** The action, for the progress and the file name: "Set group". */
  what: string;
  /** Why the run cannot start yet. */
  fault?: string | undefined;
  button: string;
  /** Whether the user must type the count to confirm. */
  typed?: boolean;
  danger?: boolean;
  fields?: ReactNode;
  plan: ReactNode;
  list?: ReactNode;
  write: Parameters<RunningBulk<Item>['start']>[0]['write'];
  /** The requests for display, if `write` is created later; `inService`: as bulk work of the service. */
  requests?: ((inService: boolean) => readonly CurlRequest[]) | undefined;
  /** A link to the result. */
  onward?: ReactNode;
  onClose: () => void;
}

export function RunSteps<Item>(props: RunStepsProps<Item>) {
  const { run, what } = props;
  const { noun } = run.kind;
  return (
    <>
      <LeaveGuard
        active={run.needsPage}
        title={`Leave while ${noun}s are being changed?`}
        confirmLabel="Leave and stop"
        open={paths.signIn()}
      >
        What has been sent is carried out. The rest is not sent, and the result of each {noun} is lost.
      </LeaveGuard>
      {run.phase === 'planned' ? <PlanForm {...props} /> : <Announcer run={run} />}
      {run.phase === 'running' && <Progress run={run} what={what} onClose={props.onClose} />}
      {run.phase === 'ended' && <Ended {...props} />}
    </>
  );
}

function PlanForm<Item>(props: RunStepsProps<Item>) {
  const { run, items, button, danger = false, fields, plan, list, write, onClose } = props;
  const inService = useOffered('bulk') === true;
  const { requests = typeof write === 'function' ? undefined : () => bulkRequests(write, items, inService) } = props;
  const [text, setText] = useState('');
  const count = items.length;
  const isReady = props.fault === undefined && count > 0;
  const asksCount = props.typed === true && isReady;
  const fault =
    props.fault ??
    (count === 0
      ? 'There is nothing to change.'
      : asksCount && !isCount(text, count)
        ? `Type ${formatCount(count)} first.`
        : undefined);
  return (
    <form
      noValidate
      className={classes.steps}
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === undefined && !run.busy) run.start({ items, write });
      }}
    >
      {fields}
      <section aria-label="Plan" className={classes.plan}>
        {plan}
      </section>
      {list}
      {asksCount && (
        <TypedWord word={formatCount(count)} value={text} onChange={setText} inputMode="numeric" data-autofocus />
      )}
      {requests && isReady && <ShowAsCurl request={() => requests(inService)} />}
      <FormError error={run.error} />
      <DialogButtons onCancel={onClose} busy={run.busy}>
        <Gate why={fault}>
          <Button variant="filled" type="submit" loading={run.busy} {...(danger && { color: 'red' })}>
            {button}
          </Button>
        </Gate>
      </DialogButtons>
    </form>
  );
}

interface ProgressProps<Item> {
  run: RunningBulk<Item>;
  what: string;
  onClose: () => void;
}

function Progress<Item>({ run, what, onClose }: ProgressProps<Item>) {
  const { kind, total, ended, results, pause, cancelling, cancel } = run;
  return (
    <div className={classes.steps}>
      <p>
        <strong>
          {formatCount(ended)} of {counted(total, kind.noun)}
        </strong>
      </p>
      <progress aria-label={what} max={Math.max(1, total)} value={ended} />
      <p className="dim tabular">
        {countsText(countResults(results.values()), formatCount) || 'No results yet'}
        {cancelling
          ? ' · waiting for the request already sent'
          : pause > 0
            ? ` · the service asked to wait ${formatCount(Math.round(pause / 1000))} s`
            : ''}
      </p>
      {run.inService && (
        <p className="dim">This runs on the service and continues when you close the dialog or the browser.</p>
      )}
      <div className="actions">
        <Button ref={focusOnMount} onClick={cancel} disabled={cancelling}>
          {cancelling ? 'Cancelling…' : 'Cancel'}
        </Button>
        {run.inService && <Button onClick={onClose}>Close and keep it running</Button>}
      </div>
    </div>
  );
}

/** Announces the progress to screen readers four times during the run, and at the end. */
function Announcer<Item>({ run: { phase, total, ended, results } }: { run: RunningBulk<Item> }) {
  const quarter = total === 0 ? 0 : Math.floor((ended / total) * 4) * 25;
  return (
    <div role="status" className="visually-hidden">
      {phase === 'running' ? `${quarter} % done` : `Ended: ${countsText(countResults(results.values()), formatCount)}`}
    </div>
  );
}

const NONE: readonly ResultRow[] = [];

function Ended<Item>({ run, items, skipped = NONE, what, write, onward, onClose }: RunStepsProps<Item>) {
  const { kind, results, busy } = run;
  const { keyOf, nameOf } = kind;
  const rows = useMemo(
    () => [
      ...items.flatMap((item): ResultRow[] => {
        const result = results.get(keyOf(item));
        return result ? [{ id: keyOf(item), name: nameOf(item), ...result }] : [];
      }),
      ...skipped,
    ],
    [items, skipped, results, keyOf, nameOf],
  );
  const again = (outcomes: readonly BulkOutcome[], label: (count: string) => string) => {
    const some = items.filter((item) => outcomes.includes(results.get(keyOf(item))?.outcome ?? 'done'));
    return (
      some.length > 0 && (
        <Button loading={busy} onClick={() => run.start({ items: some, write })}>
          {label(formatCount(some.length))}
        </Button>
      )
    );
  };
  return (
    <>
      <FormError error={run.error} />
      <BulkResultList
        rows={rows}
        fileName={what.toLowerCase().replaceAll(' ', '-')}
        noun={kind.noun}
        onClose={onClose}
        actions={
          <>
            {onward}
            {run.undo && countResults(results.values()).done > 0 && (
              <Button
                onClick={() => {
                  run.undo?.();
                  onClose();
                }}
              >
                Undo
              </Button>
            )}
            {again(['stopped'], (count) => `Continue with the ${count} not done`)}
            {again(['failed', 'unknown'], (count) => `Retry the failed (${count})`)}
          </>
        }
      />
    </>
  );
}
