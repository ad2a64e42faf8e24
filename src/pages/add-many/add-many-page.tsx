// Many devices from a list: rows are entered, corrected, created with a result for each, and their keys shown once.
import { useDeferredValue, useMemo, useState, useSyncExternalStore } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { accountQueries } from '#/api/account.ts';
import { Arrivals, arrivalQueries } from '#/api/arrivals.ts';
import { waitFor } from '#/lib/pace.ts';
import { provisioned, provisioning } from '#/fleet/provisioning.ts';
import { tagQueries, tagRequests } from '#/api/tags.ts';
import { paths } from '#/paths.ts';
import { Page } from '#/ui/page/page.tsx';
import { isKeyed } from './key-file.ts';
import { KeysPanel } from './keys-panel.tsx';
import { planOf } from './plan.ts';
import { PlanBar } from './plan-bar.tsx';
import { checkRow, detailsOf, draftOf, folded } from './row-check.ts';
import type { DraftRow } from './rows.ts';
import { RowsInput } from './rows-input.tsx';
import { RowsTable } from './rows-table.tsx';
import { AddRun } from './add-run.ts';
import type { KnownFleet, RowChange } from './row-changes.ts';
import { RunPanel } from './run-panel.tsx';
import { counted } from '#/lib/format.ts';
import { LeaveGuard } from '#/ui/dialog/leave-guard.tsx';
import { useFleet } from '#/fleet/use-fleet.ts';
import { bulkChange, bulkLocate, bulkTag } from '#/api/bulk.ts';
import { requestOf, type ApiRequest } from '#/api/request-of.ts';
import { deviceEndpoints, type Position } from '#/contract/devices.ts';
import { deviceQueries } from '#/api/devices.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import type { Tag } from '#/contract/tags.ts';
import { Link } from '#/ui/url/link.tsx';
import { newEntry } from './run-entry.ts';
import { useDraftRows, useNextProblem } from './use-draft-rows.ts';
import classes from './add-many.module.css';

const ChangesDialog = lazyDialog(() => import('./changes-dialog.tsx'), 'ChangesDialog');

const NOBODY: ReadonlySet<string> = new Set();
/** Reads the fleet anew once that has made or changed devices. */
const whenProvisioned = (work: Promise<void>) => void work.finally(provisioned);
const focusOnMount = (node: HTMLElement | null) => node?.focus({ preventScroll: true });

export function AddManyPage() {
  const draft = useDraftRows();
  const { rows, notes, cells } = draft;
  const { plan, fleet, namesError, retry } = usePlan(rows);
  const { run, view, arrived, keyed, untaken, takeKeys } = useAddRun();
  const [changes, setChanges] = useState<readonly RowChange[]>();
  const nextProblem = useNextProblem(rows, plan, cells);
  const client = useQueryClient();
  const create = () => {
    // The result is shown at the top, the keys first.
    document.getElementById('main')?.scrollTo(0, 0);
    const ready = draft.takeReady().map((row) => ({ row, device: checkRow(row).device }));
    whenProvisioned(run.add(ready, fleet?.ids));
  };
  const hold = view.running
    ? 'Devices are being created'
    : fleet || namesError
      ? undefined
      : 'Existing names are being read';
  return (
    <Page
      title="Add many devices"
      back={<Link to={paths.devices()}>Devices</Link>}
      lead="Turns a list into devices with keys; rows with an id change those devices. Nothing is done until you have seen the plan."
    >
      {rows.length === 0 && view.entries.length === 0 && (
        <RowsInput busy={draft.checking} onText={draft.read} onEmptyTable={draft.startEmpty} />
      )}
      {view.entries.length > 0 && (
        <div className={classes.results} tabIndex={-1} ref={focusOnMount}>
          <KeysPanel keyed={keyed} untaken={untaken} running={view.running} onTaken={takeKeys} />
          <RunPanel
            run={run}
            view={view}
            arrived={arrived}
            onWork={whenProvisioned}
            onEdit={() => draft.putBack(run.takeBack())}
          />
        </div>
      )}
      {rows.length > 0 && (
        <section className={classes.rows} aria-label="Rows to create" tabIndex={-1} ref={focusOnMount}>
          <PlanBar
            plan={plan}
            notes={notes}
            hold={hold}
            requests={() => requestsFor(plan.ready, client.getQueryData(tagQueries.list().queryKey) ?? [])}
            onCreate={create}
            onChange={() => setChanges(plan.changes)}
            onNextProblem={nextProblem}
            onAddRow={draft.addEmpty}
            onStartOver={draft.clear}
          />
          {namesError && (
            <p className="dim">
              Existing devices are not known: {namesError.message}.{' '}
              <Button size="compact-xs" onClick={retry}>
                Read them again
              </Button>
            </p>
          )}
          <RowsTable rows={rows} plan={plan} onEdit={draft.onEdit} onRemove={draft.onRemove} cells={cells} />
        </section>
      )}
      <ChangesDialog open={changes && { changes, onClose: () => setChanges(undefined) }} />
      <KeysGuard running={view.running} untaken={untaken} />
    </Page>
  );
}

/** 0, 0 is no location. */
const locatedIn = (located: ReadonlyMap<string, Position>) => (id: string) => {
  const at = located.get(id);
  return at && (at.Lat !== 0 || at.Lng !== 0) ? at : undefined;
};

/** What would be done. The names of the whole fleet warn of those that exist, its ids recognize a new device. */
function usePlan(rows: readonly DraftRow[]) {
  const { index, error, retry } = useFleet({ need: true });
  const asksLocations = rows.some(({ existing }) => existing?.columns.has('lat'));
  const { data: locations, isLoading } = useQuery({ ...deviceQueries.locations(), enabled: asksLocations });
  const fleet = useMemo((): KnownFleet | undefined => {
    if (!index || isLoading) return undefined;
    const names = Array.from(index.rows, (row) => folded(index.textOf(row, 'DeviceName')));
    const deviceOf = (id: string) => {
      const row = index.rowOf(id);
      return row === undefined ? undefined : index.device(row);
    };
    const located = new Map(locations?.map((location) => [location.DeviceId, location]));
    return { names: new Set(names), ids: new Set(index.ids(index.rows)), deviceOf, locationOf: locatedIn(located) };
  }, [index, locations, isLoading]);
  const { data: account } = useQuery(accountQueries.get());
  const free = account && Math.max(0, account.PlanMaxDeviceLimit - account.NumDevicesAdded);
  // Typing goes first: with thousands of rows the plan follows a moment later.
  const settled = useDeferredValue(rows);
  const plan = useMemo(() => planOf(settled, fleet, free), [settled, fleet, free]);
  return { plan, fleet, namesError: index ? null : error, retry };
}

/** The run, which of its devices have been Online since, and how many keys were neither saved nor printed. */
function useAddRun() {
  const [run] = useState(() => new AddRun({ ...provisioning, wait: waitFor }));
  const [arrivals] = useState(() => new Arrivals());
  const view = useSyncExternalStore(run.subscribe, run.get);
  const [taken, setTaken] = useState(NOBODY);
  const created = view.entries.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const { data: arrived = NOBODY } = useQuery({
    ...arrivalQueries.of(arrivals, created),
    enabled: created.length > 0 && !view.running,
  });
  const keyed = view.entries.filter(isKeyed);
  const untaken = keyed.filter(({ id, key }) => !taken.has(key) && !arrived.has(id)).length;
  return { run, view, arrived, keyed, untaken, takeKeys: () => setTaken(new Set(keyed.map(({ key }) => key))) };
}

/** Asks before new keys are lost, or a run is left in the middle, by leaving the page or closing the window. */
function KeysGuard({ running, untaken }: { running: boolean; untaken: number }) {
  return (
    <LeaveGuard
      active={running || untaken > 0}
      title={untaken > 0 ? 'Leave without the keys?' : 'Leave while devices are created?'}
      confirmLabel={untaken > 0 ? 'Leave without the keys' : 'Leave'}
      open={paths.signIn()}
    >
      {running && <p>Devices are still being created: the rest of the list would be lost.</p>}
      {untaken > 0 && (
        <p>
          {counted(untaken, 'key')} {untaken === 1 ? 'was' : 'were'} neither downloaded nor printed and cannot be shown
          again. Each of these devices would need a new key.
        </p>
      )}
    </LeaveGuard>
  );
}

/** A placeholder for the id in the answer to a row's first request. */
const DEVICE = { DeviceId: 'DEVICE_ID' };

/** `tags`: those that there are already, as far as is known. */
const requestsFor = (rows: readonly DraftRow[], tags: readonly Tag[]): ApiRequest[] =>
  rows.flatMap((row) => {
    const { device } = checkRow(row);
    const steps = new Set(newEntry(row, device).missing);
    return [
      requestOf(deviceEndpoints.create, { body: draftOf(device) }),
      ...(steps.has('details') ? [bulkChange(detailsOf(device)).request(DEVICE)] : []),
      ...(device.position ? [bulkLocate(device.position).request(DEVICE)] : []),
      ...device.tags.flatMap((name) => {
        const { first, id } = tagRequests(name, tags);
        return [...first, bulkTag(id, true).request(DEVICE)];
      }),
    ];
  });
