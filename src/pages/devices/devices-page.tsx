// The fleet as a table, filtered and sorted by what stands in the URL: page by page from the service, and as a whole once it
// is in memory.
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { ActionIcon, Button, NativeSelect } from '@mantine/core';
import { IconColumns3, IconDeviceLaptop, IconFileExport, IconMap2, IconPlus, IconTablePlus } from '@tabler/icons-react';
import { useOwnAgent } from '#/api/own-agent.ts';
import { deviceQueries } from '#/api/devices.ts';
import { queryClient } from '#/api/query-client.ts';
import { VALUES, filterWords, isFiltered } from '#/features/device-filters/filter-words.ts';
import { useSelection } from '#/features/bulk/selection.ts';
import { paths } from '#/paths.ts';
import { Page } from '#/ui/page/page.tsx';
import { paramsNow } from '#/ui/url/params-now.ts';
import { lazyDialog, lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { Empty, Skeleton, View } from '#/ui/page/view.tsx';
import { chosen } from './table/column-choice.ts';
import type { ColumnChoice } from './table/column-choice.ts';
import { DeviceTable } from './table/device-table.tsx';
import { DeviceFilterBar } from './device-filter-bar.tsx';
import { beyondService, changeFleetView, clearFilters, deviceFilterOf, readFleetView } from './view/fleet-view.ts';
import type { ViewSort } from './view/fleet-view.ts';
import { FleetNote } from './fleet-note.tsx';
import { AllRows, Pager } from './table/pager.tsx';
import { columnsToldBy } from './table/table-columns.tsx';
import { useDeviceDialog } from '#/features/device-dialogs/use-device-dialog.ts';
import { useDeviceView } from './view/use-device-view.ts';
import { useListing } from './view/use-listing.ts';
import { printSearch } from './views/view-words.ts';
import type { ViewTask } from './views/views-dialog.tsx';
import { ViewsMenu } from './views/views-menu.tsx';
import filterClasses from './device-filter-bar.module.css';
import classes from './devices-page.module.css';

const DeviceDialogs = lazyDialog(() => import('#/features/device-dialogs/device-dialogs.tsx'), 'DeviceDialogs');

const KeysDialog = lazyDialog(() => import('./table/keys-dialog.tsx'), 'KeysDialog');

const ColumnsDialog = lazyDialog(() => import('./table/columns-dialog.tsx'), 'ColumnsDialog');

const ExportViewDialog = lazyDialog(() => import('./views/export-view-dialog.tsx'), 'ExportViewDialog');

const LinkNote = lazyPart(() => import('./views/link-note.tsx'), 'LinkNote');

const BulkBar = lazyPart(() => import('#/features/bulk/bulk-bar.tsx'), 'BulkBar');

const mapOf = (params: URLSearchParams) => `${paths.map()}?${filterWords(params)}`;

/** Asks for the page of devices that a URL names, so that it is on its way while this page is being drawn. */
export function prefetchDevices(search: URLSearchParams): void {
  const { page, rows, filter, sort } = readFleetView(search);
  if (beyondService({ filter, sort })) return;
  // What goes wrong is told by the page, which asks for the same.
  queryClient.query(deviceQueries.page(page, rows, deviceFilterOf(filter))).catch(() => {});
}

export function DevicesPage() {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const setParams = (next: URLSearchParams, options?: { replace: boolean }) =>
    void navigate({ search: printSearch(next) }, options);
  const view = readFleetView(params);
  const { page, rows, filter, sort } = view;
  const listing = useListing(view);
  const dialog = useDeviceDialog();
  const [keysOpen, setKeysOpen] = useState(false);
  const [columnsOpen, setColumnsOpen] = useState(false);
  const [exportOpen, setExportOpen] = useState(false);
  const selected = useSelection().ids.size;
  const scroller = useRef<HTMLDivElement>(null);
  const { reading, busy, index, matching, isWhole } = listing;
  const { data } = reading;
  const filtered = isFiltered(filter);
  const none = data?.count === 0 && !busy;
  const why = beyondService(view);
  const noFleet = none && page === 1 && !filtered;
  const told = useMemo(() => columnsToldBy(listing.fields), [listing.fields]);
  const shownView = useDeviceView(params, told, (next) => setParams(next, { replace: true }));
  const { choice, setChoice, isForeign } = shownView;
  // The same columns again while nothing was chosen anew, so that no row is drawn for it.
  const chosenKey = JSON.stringify(choice);
  const columns = useMemo(() => chosen(told, JSON.parse(chosenKey) as ColumnChoice), [told, chosenKey]);
  const [viewTask, setViewTask] = useState<ViewTask>();
  // Counting can wait for the rows.
  const counted = useDeferredValue(listing.filter);
  const facets = useMemo(() => index?.facets(counted, VALUES), [index, counted]);
  const neverSeen = useMemo(() => index?.query({ filter: { ...counted, seen: 'never' } }).length, [index, counted]);
  const go = (next: URLSearchParams) => {
    setParams(next);
    toTop();
  };
  const clear = () => setParams(clearFilters(paramsNow()));
  const toTop = () => scroller.current?.scrollTo(0, 0);
  const toPage = (wanted: number) => {
    setParams(changeFleetView(paramsNow(), { page: wanted }));
    toTop();
  };
  const toRows = (size: number | 'all') => {
    setParams(changeFleetView(paramsNow(), { rows: size }));
    toTop();
  };
  const sortBy = (wanted: ViewSort | null) => {
    setParams(changeFleetView(paramsNow(), { sort: wanted }));
    toTop();
  };

  const note = (
    <FleetNote
      fleet={listing.fleet}
      devices={listing.devices}
      more={listing.more}
      why={why}
      namesOnly={filter.search !== undefined}
      onLoad={listing.load}
    />
  );
  const hasOwnAgent = useOwnAgent();
  const addThisMachine = hasOwnAgent && (
    <Button
      component={Link}
      {...dialog.link('add-this-machine')}
      variant={noFleet ? 'filled' : 'default'}
      leftSection={<IconDeviceLaptop size={18} stroke={1.6} aria-hidden />}
    >
      Add this machine
    </Button>
  );
  const add = (
    <Button
      component={Link}
      {...dialog.link('add')}
      variant={noFleet && hasOwnAgent ? 'default' : 'filled'}
      leftSection={<IconPlus size={18} stroke={1.6} aria-hidden />}
    >
      Add a device
    </Button>
  );

  const addMany = (
    <Button
      component={Link}
      to={paths.addMany()}
      variant="default"
      leftSection={<IconTablePlus size={18} stroke={1.6} aria-hidden />}
    >
      Add many
    </Button>
  );

  return (
    <Page
      fill
      title="Devices"
      actions={
        noFleet ? null : (
          <>
            <ViewsMenu view={shownView} matching={matching} onGo={go} task={viewTask} onTask={setViewTask} />
            <span className={classes.wideOnly}>
              {addThisMachine}
              {addMany}
            </span>
            {add}
          </>
        )
      }
    >
      <div className={classes.body}>
        {!noFleet && (
          <div className={classes.filters}>
            <DeviceFilterBar
              filter={filter}
              onChange={(change, typed) =>
                setParams(changeFleetView(paramsNow(), { filter: change }), { replace: typed })
              }
              onClear={clear}
              facets={facets}
              neverSeen={neverSeen}
            >
              <NativeSelect
                className={filterClasses.sorter}
                size="sm"
                aria-label="Sort by"
                value={sort ? `${sort.down ? '-' : ''}${sort.by}` : ''}
                onChange={({ currentTarget: { value } }) =>
                  sortBy(value ? { by: value.replace('-', ''), down: value.startsWith('-') } : null)
                }
                data={[
                  { value: '', label: 'Sort' },
                  ...columns.flatMap(({ id, label }) => [
                    { value: id, label },
                    { value: `-${id}`, label: `${label}, downwards` },
                  ]),
                ]}
              />
              <ActionIcon
                component={Link}
                to={mapOf(params)}
                className={filterClasses.first}
                variant="default"
                size={36}
                aria-label="On the map"
                title="These devices on the map"
              >
                <IconMap2 size={18} stroke={1.6} aria-hidden />
              </ActionIcon>
              <ActionIcon
                className={filterClasses.columns}
                variant="default"
                size={36}
                aria-label="Columns"
                title="Columns"
                onClick={() => setColumnsOpen(true)}
              >
                <IconColumns3 size={18} stroke={1.6} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="default"
                size={36}
                aria-label="Export CSV"
                title="Export what the table shows as CSV"
                onClick={() => {
                  // All of it is in the file, not a page.
                  listing.load();
                  setExportOpen(true);
                }}
              >
                <IconFileExport size={18} stroke={1.6} aria-hidden />
              </ActionIcon>
            </DeviceFilterBar>
            <LinkNote
              open={isForeign && { onSave: () => setViewTask('save'), onOwn: () => setParams(shownView.ownUrl()) }}
            />
          </div>
        )}
        <div ref={scroller} className={classes.rows}>
          <View
            query={reading}
            name="devices"
            rows={16}
            isEmpty={(read) => read.count === 0}
            empty={
              <div className={classes.nothing}>
                {busy ? (
                  <Skeleton name="devices" rows={16} />
                ) : page > 1 ? (
                  <Empty
                    title={`There is nothing on page ${page}.`}
                    action={
                      <Button variant="default" onClick={() => toPage(1)}>
                        Back to the first page
                      </Button>
                    }
                  />
                ) : filtered ? (
                  <Empty
                    title="No device matches these filters."
                    action={
                      <Button variant="default" onClick={clear}>
                        Clear filters
                      </Button>
                    }
                  />
                ) : (
                  <Empty
                    title="No devices yet."
                    action={
                      <>
                        {addThisMachine}
                        {add}
                        {addMany}
                      </>
                    }
                  >
                    {hasOwnAgent
                      ? 'Start with the machine you are at: one command makes it a device. Or add one that stands elsewhere.'
                      : 'Add the first one, or many from a list.'}
                  </Empty>
                )}
              </div>
            }
          >
            {(read) => (
              <DeviceTable
                rows={read}
                columns={columns}
                sort={sort}
                onSort={sortBy}
                busy={busy}
                isWhole={isWhole}
                density={choice.density}
                onWidth={(id, width) => setChoice({ ...choice, widths: { ...choice.widths, [id]: width } })}
                search={filter.search ?? filter.name}
                onHelp={() => setKeysOpen(true)}
              />
            )}
          </View>
        </div>
        <BulkBar open={selected > 0 && { shown: isWhole ? undefined : data?.ids, matching }} />
        {(data ? data.count > 0 : why !== undefined) && (
          <div className={classes.foot}>
            {data && isWhole && index ? (
              <AllRows shown={data.count} fleet={index.size} note={note} onRows={toRows} />
            ) : data ? (
              <Pager
                page={page}
                rows={rows}
                shown={data.count}
                total={data.total}
                more={listing.more}
                busy={busy}
                hasAll={index !== undefined}
                note={note}
                onPage={toPage}
                onRows={toRows}
              />
            ) : (
              note
            )}
          </div>
        )}
      </div>
      <KeysDialog open={keysOpen && { onClose: () => setKeysOpen(false) }} />
      <ColumnsDialog
        open={columnsOpen && { columns: told, choice, onChange: setChoice, onClose: () => setColumnsOpen(false) }}
      />
      <ExportViewDialog
        open={
          exportOpen && { listing, columns, filtered, sorted: sort !== undefined, onClose: () => setExportOpen(false) }
        }
      />
      <DeviceDialogs open={dialog.name && { dialog }} />
    </Page>
  );
}
