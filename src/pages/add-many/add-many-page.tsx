// Adds many devices from a list: enter and correct rows, create the devices with a result for each, and show their keys.
import { useDeferredValue, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { accountQueries } from '#/api/account.ts';
import { Arrivals, arrivalQueries } from '#/api/arrivals.ts';
import { bulkChange, bulkLocate, bulkTag } from '#/api/bulk.ts';
import { useOffered } from '#/api/capabilities.ts';
import { deviceQueries } from '#/api/devices.ts';
import { requestOf, type ApiRequest } from '#/api/request-of.ts';
import { tagQueries, tagRequests } from '#/api/tags.ts';
import { bulkEndpoints } from '#/contract/bulk.ts';
import { deviceEndpoints, type Position } from '#/contract/devices.ts';
import { useFleet } from '#/fleet/use-fleet.ts';
import { counted } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { LeaveGuard } from '#/ui/dialog/leave-guard.tsx';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { Page } from '#/ui/page/page.tsx';
import { FormError, NoDataYet } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import { isCreated, newDeviceOf, rowOf, type Creation } from './creation.ts';
import { isKeyed } from './key-file.ts';
import { KeysPanel } from './keys-panel.tsx';
import { planOf, type Plan } from './plan.ts';
import { PlanBar } from './plan-bar.tsx';
import { checkRow, detailsOf, draftOf, foldName } from './row-check.ts';
import type { KnownFleet, RowChange } from './row-changes.ts';
import type { DraftRow } from './rows.ts';
import { useInstall } from '#/features/install/use-install.ts';
import { RowsInput } from './rows-input.tsx';
import { RowsTable } from './rows-table.tsx';
import { RunPanel } from './run-panel.tsx';
import { useCreation, type CreationRun } from './use-creation.ts';
import { useDraftRows, useNextProblem } from './use-draft-rows.ts';
import classes from './add-many.module.css';
import { groupsText, useMay, useOwnGroups } from '#/api/people.ts';

const ChangesDialog = lazyDialog(() => import('./changes-dialog.tsx'), 'ChangesDialog');

const NOBODY: ReadonlySet<string> = new Set();
const focusOnMount = (node: HTMLElement | null) => node?.focus({ preventScroll: true });

export function AddManyPage() {
  const draft = useDraftRows();
  const { rows, notes, cells } = draft;
  const { plan, fleet, namesError, retry } = usePlan(rows);
  const run = useCreation();
  const { creations, running, isBegun, isRead } = run;
  const { arrived, keyed, untaken, takeKeys } = useKeys(run);
  const [changes, setChanges] = useState<readonly RowChange[]>();
  const { command: install } = useInstall();
  const [allowTunnels, setAllowTunnels] = useState(true);
  const command = useMemo(() => install && ((key: string) => install(key, allowTunnels)), [install, allowTunnels]);
  const nextProblem = useNextProblem(rows, plan, cells);
  const requests = useRequests();
  const putBack = (some: readonly Creation[]) => draft.putBack(some.map(({ asked }) => rowOf(asked)));
  const create = () => {
    // The results are at the top, keys first.
    document.getElementById('main')?.scrollTo(0, 0);
    run.start(draft.takeReady().map((row) => newDeviceOf(checkRow(row).device)));
  };
  const noAdding = useMay(bulkEndpoints.create, 'Adding devices', { Action: 'create' });
  const outside = useOutside(plan);
  const hold =
    outside ??
    (running ? 'Devices are being created' : fleet || namesError ? undefined : 'Existing names are being read');
  return (
    <Page
      title="Add many devices"
      back={<Link to={paths.devices()}>Devices</Link>}
      lead="Turns a list into devices with keys; rows with an id change those devices. Nothing is done until you have seen the plan."
    >
      {noAdding !== undefined && !isBegun && <p>{noAdding}</p>}
      {rows.length === 0 && !isBegun && !running && noAdding === undefined && (
        <>
          <FormError error={run.error} />
          <RowsInput busy={draft.checking} onText={draft.read} onEmptyTable={draft.startEmpty} />
        </>
      )}
      {isBegun && !isRead && (
        <NoDataYet
          query={{ data: undefined, error: run.error, isFetching: run.error === null, refetch: run.retry }}
          name="the created devices"
        />
      )}
      {isBegun && isRead && (
        <div className={classes.results} tabIndex={-1} ref={focusOnMount}>
          <KeysPanel
            keyed={keyed}
            untaken={untaken}
            gone={creations.filter(isCreated).length - keyed.length}
            running={running}
            removal={run.isStored ? run.removeKeys : undefined}
            command={command}
            allowTunnels={allowTunnels}
            onAllow={setAllowTunnels}
            onTaken={takeKeys}
          />
          <RunPanel run={run} command={command} arrived={arrived} onEdit={putBack} />
        </div>
      )}
      {rows.length > 0 && (
        <section className={classes.rows} aria-label="Rows to create" tabIndex={-1} ref={focusOnMount}>
          <PlanBar
            plan={plan}
            notes={notes}
            hold={hold}
            requests={() => requests(plan.ready)}
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
      <KeysGuard running={run.needsPage} untaken={run.isStored ? 0 : untaken} />
    </Page>
  );
}

/** Why the rows cannot be sent by somebody whose role covers some groups only. */
function useOutside({ ready, changes }: Plan): string | undefined {
  const own = useOwnGroups();
  if (!own) return undefined;
  const groups = [
    ...ready.map((row) => checkRow(row).device.group),
    ...changes.flatMap(({ fields: { DeviceGroup } }) => (DeviceGroup === undefined ? [] : [DeviceGroup])),
  ];
  const count = groups.filter((group) => !own.includes(group)).length;
  if (count === 0) return undefined;
  return `${counted(count, 'row')} ${count === 1 ? 'needs' : 'need'} another group: your role covers ${groupsText(own)}`;
}

/** Treats 0, 0 as no location. */
const locatedIn = (located: ReadonlyMap<string, Position>) => (id: string) => {
  const at = located.get(id);
  return at && (at.Lat !== 0 || at.Lng !== 0) ? at : undefined;
};

/** The plan for these rows. The fleet's names reveal duplicates, its ids existing devices. */
function usePlan(rows: readonly DraftRow[]) {
  const { index, error, retry } = useFleet({ need: true });
  const asksLocations = rows.some(({ existing }) => existing?.columns.has('lat'));
  const { data: tags } = useQuery(tagQueries.list());
  const { data: locations, isLoading } = useQuery({ ...deviceQueries.locations(), enabled: asksLocations });
  const fleet = useMemo((): KnownFleet | undefined => {
    if (!index || isLoading) return undefined;
    const names = Array.from(index.rows, (row) => foldName(index.textOf(row, 'DeviceName')));
    const deviceOf = (id: string) => {
      const row = index.rowOf(id);
      return row === undefined ? undefined : index.device(row);
    };
    const located = new Map(locations?.map((location) => [location.DeviceId, location]));
    const shared = {
      group: index.coded('DeviceGroup')?.texts ?? [],
      customer: index.coded('CustomerName')?.texts ?? [],
      site: index.coded('CustomerSite')?.texts ?? [],
      tags: tags?.map(({ TagName }) => TagName) ?? [],
    };
    return {
      names: new Set(names),
      shared,
      ids: new Set(index.ids(index.rows)),
      deviceOf,
      locationOf: locatedIn(located),
    };
  }, [index, locations, isLoading, tags]);
  const { data: account } = useQuery(accountQueries.get());
  const free = account && Math.max(0, account.PlanMaxDeviceLimit - account.NumDevicesAdded);
  // Typing has priority: with thousands of rows the plan follows a moment later.
  const settled = useDeferredValue(rows);
  const plan = useMemo(() => planOf(settled, fleet, free), [settled, fleet, free]);
  return { plan, fleet, namesError: index ? null : error, retry };
}

/** Which new devices have come Online, and how many keys were neither saved nor printed. */
function useKeys({ creations, running }: CreationRun) {
  const [arrivals] = useState(() => new Arrivals());
  const [taken, setTaken] = useState(NOBODY);
  const created = creations.filter(isCreated).map(({ id }) => id);
  const { data: arrived = NOBODY } = useQuery({
    ...arrivalQueries.of(arrivals, created),
    enabled: created.length > 0 && !running,
  });
  const keyed = creations.filter(isKeyed);
  const untaken = keyed.filter(({ id, deviceKey }) => !taken.has(deviceKey) && !arrived.has(id)).length;
  return { arrived, keyed, untaken, takeKeys: () => setTaken(new Set(keyed.map(({ deviceKey }) => deviceKey))) };
}

/** Asks before leaving the page or closing the window would lose new keys or abandon a run. */
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

/** Placeholder for the id that a row's first request returns. */
const DEVICE = { DeviceId: 'DEVICE_ID' };

/** The requests that create these rows, for display. */
function useRequests(): (rows: readonly DraftRow[]) => ApiRequest[] {
  const inService = useOffered('bulk') === true;
  const { data: tags = [] } = useQuery(tagQueries.list());
  return (rows) => {
    const devices = rows.map((row) => checkRow(row).device);
    if (inService)
      return [requestOf(bulkEndpoints.create, { body: { Action: 'create', Devices: devices.map(newDeviceOf) } })];
    return devices.flatMap((device) => {
      const details = detailsOf(device);
      return [
        requestOf(deviceEndpoints.create, { body: draftOf(device) }),
        ...(Object.keys(details).length > 0 ? [bulkChange(details).request(DEVICE)] : []),
        ...(device.position ? [bulkLocate(device.position).request(DEVICE)] : []),
        ...device.tags.flatMap((name) => {
          const { first, id } = tagRequests(name, tags);
          return [...first, bulkTag(id, true).request(DEVICE)];
        }),
      ];
    });
  };
}
