// The fleet as a table, filtered and sorted as its URL says: page by page from the service, and in one scroll once the
// fleet is in memory.
import { useMemo, useRef, useState, type SyntheticEvent } from 'react';
import { Button } from '@mantine/core';
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks';
import { useOffered } from '#/api/capabilities.ts';
import { deviceQueries } from '#/api/devices.ts';
import { queryClient } from '#/api/query-client.ts';
import { useSelection } from '#/features/bulk/selection.ts';
import { useDeviceDialog } from '#/features/device-dialogs/use-device-dialog.ts';
import { isFiltered } from '#/features/device-filters/filter-words.ts';
import { useFacets } from '#/features/device-filters/use-facets.ts';
import type { ViewTask } from '#/features/saved-views/views-dialog.tsx';
import { ViewsMenu } from '#/features/saved-views/views-menu.tsx';
import { stored } from '#/lib/stored.ts';
import { focusPage } from '#/ui/dialog/use-focus-back.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { lazyDialog, lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { Page } from '#/ui/page/page.tsx';
import { Skeleton, View } from '#/ui/page/view.tsx';
import { AddButtons } from './add-buttons.tsx';
import { DeviceFilterBar } from './device-filter-bar.tsx';
import { FleetNote } from './fleet-note.tsx';
import { NoRows } from './no-rows.tsx';
import { TableTools } from './table-tools.tsx';
import { DeviceTable } from './table/device-table.tsx';
import { useFittingColumns } from './table/fitting-columns.ts';
import { AllRows, Pager } from './table/pager.tsx';
import { LATEST_WORK } from './table/table-columns.tsx';
import { beyondService, deviceFilterOf, fleetUrl, fleetViewOf, type FleetView } from './view/fleet-view.ts';
import { useDeviceView } from './view/use-device-view.ts';
import { useFleetView, type FleetViewSteps } from './view/use-fleet-view.ts';
import { useListing, type Listing } from './view/use-listing.ts';
import classes from './devices-page.module.css';

const DeviceDialogs = lazyDialog(() => import('#/features/device-dialogs/device-dialogs.tsx'), 'DeviceDialogs');
const ColumnsDialog = lazyDialog(() => import('./table/columns-dialog.tsx'), 'ColumnsDialog');
const ExportViewDialog = lazyDialog(() => import('./export-view-dialog.tsx'), 'ExportViewDialog');
const BulkBar = lazyPart(() => import('#/features/bulk/bulk-bar.tsx'), 'BulkBar');

const CursorPanel = lazyPart(() => import('./cursor-panel.tsx'), 'CursorPanel');
const WaitingLine = lazyPart(() => import('./waiting-line.tsx'), 'WaitingLine');

/** Whether the panel is closed, where there is room for it. */
const panelClosed = stored('muster-device-panel', false, {
  read: (text) => text === 'closed',
  print: () => 'closed',
});
/** Milliseconds for which the cursor rests on a row before its device is read. */
const REST = 120;

/** The device of the row that was focused or clicked last, else the first one. */
function usePanel({ data }: Listing['reading']) {
  const isWide = useMediaQuery('(min-width: 1600px)', false, { getInitialValueInEffect: false });
  const isClosed = useStore(panelClosed);
  const [cursor, setCursor] = useState<string>();
  const [rested] = useDebouncedValue(cursor, REST);
  const device = data && (data.find(rested ?? '') ?? data.find(data.ids[0] ?? ''));
  const follow = ({ target }: SyntheticEvent) => {
    const id = target instanceof Element && target.closest<HTMLElement>('tr[data-id]')?.dataset['id'];
    if (id) setCursor(id);
  };
  return {
    isOpen: isWide && !isClosed,
    device,
    rows: isWide && !isClosed ? { onFocus: follow, onClick: follow } : {},
    open: isWide && isClosed ? () => panelClosed.set(false) : undefined,
    close: () => {
      panelClosed.set(true);
      focusPage();
    },
  };
}

/** Requests the devices of a URL while the code of this page is still loading. */
export async function prefetchDevices(search: URLSearchParams): Promise<void> {
  const view = fleetViewOf(fleetUrl.read(search));
  if (beyondService(view)) return;
  // The page makes the same query and shows its error.
  await queryClient.query(deviceQueries.page(view.page, view.rows, deviceFilterOf(view.filter))).catch(() => {});
}

/** With those that are read for the rows in view: also until it is known, so that the others do not move when it is. */
function useAllFields(fields: ReadonlySet<string>): ReadonlySet<string> {
  const hasVersions = useOffered('versions') !== false;
  return useMemo(() => (hasVersions ? new Set([...fields, LATEST_WORK]) : fields), [fields, hasVersions]);
}

export function DevicesPage() {
  const hasEnrolment = useOffered('enrolment') === true;
  const scroller = useRef<HTMLDivElement>(null);
  const { view, extraFields, steps } = useFleetView(scroller);
  const listing = useListing(view, extraFields);
  const table = useDeviceView(useAllFields(listing.fields));
  const columns = useFittingColumns(table.columns, table.choice, scroller);
  const panel = usePanel(listing.reading);
  const counts = useFacets(listing.index, listing.filter);
  const [open, setOpen] = useState<'columns' | 'export' | ViewTask>();
  const { reading, busy, matching, isUnpaged } = listing;
  const { filter, sort } = view;
  const filtered = isFiltered(filter);
  const isEmptyFleet = reading.data?.count === 0 && !busy && view.page === 1 && !filtered;
  const onClose = () => setOpen(undefined);
  const isDialog = open === 'columns' || open === 'export';
  return (
    <Page
      fill
      title="Devices"
      actions={
        isEmptyFleet ? null : (
          <>
            <ViewsMenu
              view={table.shown}
              matching={matching}
              onGo={steps.go}
              task={isDialog ? undefined : open}
              onTask={setOpen}
            />
            <AddButtons />
          </>
        )
      }
    >
      <div className={classes.body}>
        {!isEmptyFleet && (
          <div className={classes.filters}>
            <DeviceFilterBar
              filter={filter}
              onChange={steps.filterBy}
              onClear={steps.clearFilters}
              hasRows={reading.data !== undefined}
              onLoadFleet={listing.isTooLarge ? listing.load : undefined}
              {...counts}
            >
              <TableTools
                view={view}
                columns={table.columns}
                onSort={steps.sortBy}
                onColumns={() => setOpen('columns')}
                onPanel={panel.open}
                onExport={() => {
                  // The file has all matching devices, not one page.
                  listing.load();
                  setOpen('export');
                }}
              />
            </DeviceFilterBar>
            {table.shown.isForeign && (
              <p className={classes.fromLink}>
                <span className="dim">Columns and row height come from the link.</span>
                <Button size="compact-sm" onClick={() => setOpen('save')}>
                  Save this view
                </Button>
                <Button size="compact-sm" variant="subtle" onClick={() => steps.go(table.shown.ownSearch)}>
                  Use my columns
                </Button>
              </p>
            )}
          </div>
        )}
        <div className={classes.beside}>
          <div ref={scroller} className={classes.rows} {...panel.rows}>
            <View
              query={reading}
              name="devices"
              rows={16}
              isEmpty={(read) => read.count === 0}
              empty={
                busy ? (
                  <Skeleton name="devices" rows={16} />
                ) : (
                  <NoRows
                    page={view.page}
                    filtered={filtered}
                    onFirstPage={() => steps.toPage(1)}
                    onClear={steps.clearFilters}
                  />
                )
              }
            >
              {(read) => (
                <DeviceTable
                  rows={read}
                  columns={columns}
                  sort={sort}
                  onSort={steps.sortBy}
                  busy={busy}
                  isUnpaged={isUnpaged}
                  density={table.choice.density}
                  onWidth={(id, width) =>
                    table.setChoice({ ...table.choice, widths: { ...table.choice.widths, [id]: width } })
                  }
                  search={filter.search ?? filter.name}
                />
              )}
            </View>
          </div>
          {panel.isOpen && !isEmptyFleet && (
            <aside aria-label="Device under the cursor" className={classes.panel}>
              <CursorPanel open={panel.device && { device: panel.device, onClose: panel.close }} />
            </aside>
          )}
        </div>
        <SelectedDevices shown={isUnpaged ? undefined : reading.data?.ids} matching={matching} />
        <WaitingLine open={hasEnrolment && {}} isUrgent={reading.data !== undefined} />
        <Foot view={view} steps={steps} listing={listing} />
      </div>
      <ColumnsDialog
        open={
          open === 'columns' && { columns: table.available, choice: table.choice, onChange: table.setChoice, onClose }
        }
      />
      <ExportViewDialog
        open={open === 'export' && { listing, columns: table.columns, filtered, sorted: sort !== undefined, onClose }}
      />
      <OpenedDeviceDialog />
    </Page>
  );
}

function SelectedDevices(props: Pick<Listing, 'matching'> & { shown: readonly string[] | undefined }) {
  return <BulkBar open={useSelection().ids.size > 0 && props} />;
}

function OpenedDeviceDialog() {
  const dialog = useDeviceDialog();
  return <DeviceDialogs open={dialog.name && { dialog }} />;
}

/** The number of rows, the pager, and the progress of loading the fleet. */
function Foot({ view, steps, listing }: { view: FleetView; steps: FleetViewSteps; listing: Listing }) {
  const { reading, index, isUnpaged, busy } = listing;
  const { data } = reading;
  const why = beyondService(view);
  if (data ? data.count === 0 : why === undefined) return null;
  const note = (
    <FleetNote
      fleet={listing.fleet}
      devices={listing.devices}
      more={listing.more}
      why={why}
      namesOnly={view.filter.search !== undefined}
      onLoad={listing.load}
    />
  );
  return (
    <div className={classes.foot}>
      {data && isUnpaged && index ? (
        <AllRows shown={data.count} fleet={index.size} note={note} onRows={steps.toRows} />
      ) : data ? (
        <Pager
          page={view.page}
          rows={view.rows}
          shown={data.count}
          total={data.total}
          more={listing.more}
          busy={busy}
          hasAll={index !== undefined}
          note={note}
          onPage={steps.toPage}
          onRows={steps.toRows}
        />
      ) : (
        note
      )}
    </div>
  );
}
