// Many devices from a list: rows are entered, corrected, created with a result for each, and their keys shown once.
import { useCallback, useDeferredValue, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { accountQueries } from '#/api/account.ts';
import { Arrivals, arrivalQueries } from '#/api/arrivals.ts';
import { inTurns } from '#/lib/pace.ts';
import { waitFor } from '#/lib/pace.ts';
import { provisioned, provisioning } from '#/fleet/provisioning.ts';
import { tagQueries, tagRequests } from '#/api/tags.ts';
import { paths } from '#/paths.ts';
import { Page } from '#/ui/page/page.tsx';
import { isKeyed } from './key-file.ts';
import { KeysPanel } from './keys-panel.tsx';
import { planOf } from './plan.ts';
import { PlanBar } from './plan-bar.tsx';
import { checkRow, checkSteps, hasError, folded, detailsOf, draftOf } from './row-check.ts';
import { COLUMNS, edited, newRow, parseRows } from './rows.ts';
import type { ColumnName, DraftRow } from './rows.ts';
import { RowsInput } from './rows-input.tsx';
import { RowsTable } from './rows-table.tsx';
import type { CellFocus } from './rows-table.tsx';
import { AddRun } from './add-run.ts';
import { RunPanel } from './run-panel.tsx';
import { counted } from '#/lib/format.ts';
import { LeaveGuard } from '#/ui/dialog/leave-guard.tsx';
import { useFleet } from '#/fleet/use-fleet.ts';
import { bulkChange, bulkLocate, bulkTag } from '#/api/bulk.ts';
import { requestOf } from '#/api/request-of.ts';
import type { ApiRequest } from '#/api/request-of.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import type { Tag } from '#/contract/tags.ts';
import { newEntry } from './run-entry.ts';
import classes from './add-many.module.css';

const NOBODY: ReadonlySet<string> = new Set();
const focusOnMount = (node: HTMLElement | null) => node?.focus({ preventScroll: true });

export function AddManyPage() {
  const [run] = useState(() => new AddRun({ ...provisioning, wait: waitFor }));
  const [arrivals] = useState(() => new Arrivals());
  const view = useSyncExternalStore(run.subscribe, run.get);
  const [rows, setRows] = useState<readonly DraftRow[]>([]);
  const [notes, setNotes] = useState<string[]>([]);
  const [checking, setChecking] = useState(false);
  const [taken, setTaken] = useState(NOBODY);
  const cells = useRef<CellFocus>(null);
  const looked = useRef({ index: -1, column: -1 });

  const client = useQueryClient();
  const { fleet, error: namesError, retry } = useFleetNames();
  const { data: account } = useQuery(accountQueries.get());
  const free = account && Math.max(0, account.PlanMaxDeviceLimit - account.NumDevicesAdded);
  // Typing goes first: with thousands of rows the plan follows a moment later.
  const settled = useDeferredValue(rows);
  const plan = useMemo(() => planOf(settled, fleet?.names, free), [settled, fleet, free]);

  const created = view.entries.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const { data: arrived = NOBODY } = useQuery({
    ...arrivalQueries.of(arrivals, created),
    enabled: created.length > 0 && !view.running,
  });
  const keyed = view.entries.filter(isKeyed);
  const untaken = keyed.filter(({ id, key }) => !taken.has(key) && !arrived.has(id)).length;

  const takeText = async (text: string) => {
    setChecking(true);
    try {
      const read = parseRows(text);
      await inTurns(checkSteps(read.rows));
      setRows(read.rows);
      setNotes(read.notes);
    } finally {
      setChecking(false);
    }
  };
  const onEdit = useCallback(
    (row: DraftRow, column: ColumnName, text: string) =>
      setRows((now) => now.map((each) => (each.id === row.id ? edited(each, column, text) : each))),
    [],
  );
  const onRemove = useCallback((row: DraftRow) => setRows((now) => now.filter(({ id }) => id !== row.id)), []);
  const work = useCallback((working: Promise<void>) => void working.finally(provisioned), []);
  const create = () => {
    const ready = rows.filter((row) => !hasError(row));
    setRows(rows.filter(hasError));
    setNotes([]);
    // The result is shown at the top, the keys first.
    document.getElementById('main')?.scrollTo(0, 0);
    work(
      run.add(
        ready.map((row) => ({ row, device: checkRow(row).device })),
        fleet?.ids,
      ),
    );
  };
  const addRow = () => {
    setRows([...rows, newRow()]);
    requestAnimationFrame(() => cells.current?.focus(rows.length, 'name'));
  };
  const nextProblem = () => {
    const isProblem = (row: DraftRow, column: ColumnName) =>
      plan.faulty > 0 ? checkRow(row).errors[column] !== undefined : plan.warningsOf(row)[column] !== undefined;
    const all = rows.flatMap((row, index) =>
      (plan.faulty > 0 ? hasError(row) : true)
        ? COLUMNS.flatMap((column, at) => (isProblem(row, column) ? [{ index, column: at }] : []))
        : [],
    );
    const { index, column } = looked.current;
    const next = all.find((each) => each.index > index || (each.index === index && each.column > column)) ?? all[0];
    if (!next) return;
    looked.current = next;
    cells.current?.focus(next.index, COLUMNS[next.column] ?? 'name');
  };

  const hold = view.running
    ? 'Devices are being created'
    : fleet || namesError
      ? undefined
      : 'The names of the fleet are being read';
  return (
    <Page
      title="Add many devices"
      back={<Link to={paths.devices()}>Devices</Link>}
      lead="From a list to devices with keys: nothing is created before you have seen the plan."
    >
      {rows.length === 0 && view.entries.length === 0 && (
        <RowsInput busy={checking} onText={takeText} onEmptyTable={() => setRows([newRow()])} />
      )}
      {view.entries.length > 0 && (
        <div className={classes.results} tabIndex={-1} ref={focusOnMount}>
          <KeysPanel
            keyed={keyed}
            untaken={untaken}
            running={view.running}
            onTaken={() => setTaken(new Set(keyed.map(({ key }) => key)))}
          />
          <RunPanel
            run={run}
            view={view}
            arrived={arrived}
            onWork={work}
            onEdit={() => {
              setRows([...run.takeBack(), ...rows]);
              requestAnimationFrame(() => cells.current?.focus(0, 'name'));
            }}
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
            onNextProblem={nextProblem}
            onAddRow={addRow}
            onStartOver={() => setRows([])}
          />
          {namesError && (
            <p className="dim">
              Names that exist already are not marked: {namesError.message}.{' '}
              <Button size="compact-xs" variant="default" onClick={retry}>
                Read them again
              </Button>
            </p>
          )}
          <RowsTable rows={rows} warningsOf={plan.warningsOf} onEdit={onEdit} onRemove={onRemove} cells={cells} />
        </section>
      )}
      <KeysGuard running={view.running} untaken={untaken} />
    </Page>
  );
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

interface FleetNames {
  names: ReadonlySet<string>;
  ids: ReadonlySet<string>;
}

/** The names and ids of the whole fleet, to warn of names that exist and to tell a new device from an old one. */
function useFleetNames(): { fleet: FleetNames | undefined; error: Error | null; retry: () => void } {
  const { index, error, retry } = useFleet({ need: true });
  const fleet = useMemo(() => {
    if (!index) return undefined;
    const names = Array.from(index.rows, (row) => folded(index.textOf(row, 'DeviceName')));
    return { names: new Set(names), ids: new Set(index.ids(index.rows)) };
  }, [index]);
  return { fleet, error: index ? null : error, retry };
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
