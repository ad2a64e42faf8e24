// The three steps of every bulk action: the plan, the run, and a result for each device.
import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { Button, TextInput } from '@mantine/core';
import type { Device } from '#/contract/devices.ts';
import type { BulkWrite } from '#/api/bulk.ts';
import { isCount, bulkPlanOf, bulkPlanText } from './bulk-plan.ts';
import type { Keep } from './bulk-plan.ts';
import { BulkProgress } from './bulk-progress.tsx';
import { BulkResultList } from './bulk-result-list.tsx';
import { countResults, countsText } from './bulk-results.ts';
import type { ResultRow } from './bulk-results.ts';
import type { BulkOutcome } from './bulk-run.ts';
import type { RunningBulk } from './use-bulk-run.ts';
import type { CurlRequest } from '#/ui/curl/curl-text.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { formatCount } from '#/lib/format.ts';
import { FormError } from '#/ui/page/view.tsx';
import classes from './bulk-dialog.module.css';

/** What an action needs to know of the dialog around it. */
export interface BulkActionProps {
  /** The selected devices as they are now. */
  devices: Device[];
  /** Ids of those that are not there any more. */
  gone: string[];
  run: RunningBulk;
  onClose: () => void;
}

export interface BulkOrder {
  /** What is done, for the progress and the name of the file: "Set group". */
  what: string;
  keep: Keep;
  /** How the plan says it: "changes", "change". */
  does?: [one: string, many: string];
  /** Why it cannot begin yet. */
  fault: string | undefined;
  /** The button that begins, for so many devices. */
  button: (count: number) => string;
  /** The count must be typed. */
  typed?: boolean;
  danger?: boolean;
  /** What is sent for these devices, to be shown. */
  requests?: (change: readonly Device[]) => readonly CurlRequest[];
  prepare: () => Promise<BulkWrite>;
}

interface BulkStepsProps extends BulkActionProps {
  order: BulkOrder;
  /** The fields of the plan. */
  children?: ReactNode;
  /** What follows from the plan; told below it. */
  note?: (change: Device[]) => ReactNode;
  /** A link to what came of it. */
  onward?: ReactNode;
}

export function BulkSteps({ devices, gone, run, order, children, note, onward, onClose }: BulkStepsProps) {
  const [typed, setTyped] = useState('');
  const plan = bulkPlanOf(devices, order.keep);
  const { phase, busy } = run;

  if (phase === 'planned') {
    const count = plan.change.length;
    const confirmed = !order.typed || isCount(typed, count);
    const fault =
      order.fault ??
      (count === 0 ? 'There is nothing to change.' : confirmed ? undefined : `Type ${formatCount(count)} first.`);
    return (
      <form
        noValidate
        className={classes.steps}
        onSubmit={(event) => {
          event.preventDefault();
          if (fault === undefined && !busy) run.start({ items: plan.change, prepare: order.prepare });
        }}
      >
        {children}
        <section aria-label="Plan" className={classes.plan}>
          {order.fault === undefined || children === undefined ? (
            <>
              {bulkPlanText(plan, gone.length, order.does).map((line, index) => (
                <p key={line}>{index === 0 ? <strong>{line}</strong> : line}</p>
              ))}
              {count > 0 && note?.(plan.change)}
            </>
          ) : (
            <p className="dim">{order.fault}</p>
          )}
        </section>
        {order.typed && order.fault === undefined && count > 0 && (
          <TextInput
            label={
              <>
                Type <strong>{formatCount(count)}</strong> to confirm
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            inputMode="numeric"
            {...(children === undefined && { 'data-autofocus': true })}
          />
        )}
        {order.requests && order.fault === undefined && count > 0 && (
          <ShowAsCurl request={() => order.requests?.(plan.change) ?? []} />
        )}
        <FormError error={run.error} />
        <div className={classes.buttons}>
          <Button variant="default" onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={busy}
            disabled={fault !== undefined}
            title={fault ?? ''}
            {...(order.danger && { color: 'red' })}
          >
            {order.button(order.fault === undefined ? count : devices.length)}
          </Button>
        </div>
      </form>
    );
  }

  return (
    <>
      <Announcer run={run} />
      {phase === 'running' ? (
        <BulkProgress run={run} what={order.what} />
      ) : (
        <Ended {...{ devices, gone, run, order, onward, onClose }} />
      )}
    </>
  );
}

/** Says how it goes to those who don't see the bar: four times on the way, and at the end. */
function Announcer({ run: { phase, total, ended, results } }: { run: RunningBulk }) {
  const quarter = total === 0 ? 0 : Math.floor((ended / total) * 4) * 25;
  return (
    <div role="status" className="visually-hidden">
      {phase === 'running' ? `${quarter} % done` : `Ended: ${countsText(countResults(results.values()), formatCount)}`}
    </div>
  );
}

const NOT_THERE = 'Not there any more';

function Ended({ devices, gone, run, order, onward, onClose }: Omit<BulkStepsProps, 'children' | 'note'>) {
  const { results, busy } = run;
  const rows = useMemo(
    () => [
      ...devices.map((device): ResultRow => {
        const { DeviceId: id, DeviceName } = device;
        const result = results.get(id) ?? { outcome: 'skipped', reason: order.keep(device) ?? '' };
        return { id, name: DeviceName || id, ...result };
      }),
      ...gone.map((id): ResultRow => ({ id, name: id, outcome: 'skipped', reason: NOT_THERE })),
    ],
    [devices, gone, results, order],
  );
  const again = (outcome: BulkOutcome, label: (count: string) => string) => {
    const items = devices.filter(({ DeviceId }) => results.get(DeviceId)?.outcome === outcome);
    return (
      items.length > 0 && (
        <Button variant="default" loading={busy} onClick={() => run.start({ items, prepare: order.prepare })}>
          {label(formatCount(items.length))}
        </Button>
      )
    );
  };
  return (
    <>
      <FormError error={run.error} />
      <BulkResultList
        rows={rows}
        fileName={order.what.toLowerCase().replaceAll(' ', '-')}
        onClose={onClose}
        actions={
          <>
            {onward}
            {again('stopped', (count) => `Continue with the ${count} not sent`)}
            {again('failed', (count) => `Retry the failed (${count})`)}
          </>
        }
      />
    </>
  );
}
