// The fleet as a table, page by page from the service, filtered by what stands in the URL.
import { Suspense, lazy, useRef } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconDeviceLaptop, IconPlus, IconTablePlus } from '@tabler/icons-react';
import { deviceQueries } from '#/api/devices.ts';
import { queryClient } from '#/api/query-client.ts';
import { useSelection } from '#/fleet/selection.ts';
import { paths } from '#/paths.ts';
import { Page } from '#/ui/page.tsx';
import { useFocusBack } from '#/ui/use-focus-back.ts';
import { useLater } from '#/ui/use-later.ts';
import { Empty, Skeleton, View } from '#/ui/view.tsx';
import { DeviceTable } from './device-table.tsx';
import { FilterBar } from './filter-bar.tsx';
import { changeFleetView, clearFilters, deviceFilterOf, isFiltered, readFleetView } from './fleet-view.ts';
import { Pager } from './pager.tsx';
import { useDeviceDialog } from './use-device-dialog.ts';
import classes from './devices-page.module.css';

const loadDialogs = () => import('./device-dialogs.tsx');
const DeviceDialogs = lazy(async () => ({ default: (await loadDialogs()).DeviceDialogs }));

const loadBulkBar = () => import('#/fleet/bulk-bar.tsx');
const BulkBar = lazy(async () => ({ default: (await loadBulkBar()).BulkBar }));

/** Asks for the page of devices that a URL names, so that it is on its way while this page is being drawn. */
export function prefetchDevices(search: URLSearchParams): void {
  const { page, rows, filter } = readFleetView(search);
  // What goes wrong is told by the page, which asks for the same.
  queryClient.query(deviceQueries.page(page, rows, deviceFilterOf(filter))).catch(() => {});
}

export function DevicesPage() {
  const [params, setParams] = useSearchParams();
  const { page, rows, filter } = readFleetView(params);
  const dialog = useDeviceDialog();
  useFocusBack(dialog.name !== null);
  const dialogsHere = useLater(loadDialogs, dialog.name !== null);
  const selected = useSelection().ids.size;
  const bulkHere = useLater(loadBulkBar, selected > 0);
  const scroller = useRef<HTMLDivElement>(null);
  const query = useQuery(deviceQueries.page(page, rows, deviceFilterOf(filter)));
  const { data, isPlaceholderData } = query;
  const filtered = isFiltered(filter);
  const none = data?.rows.length === 0 && !isPlaceholderData;
  const noFleet = none && page === 1 && !filtered;
  const clear = () => setParams(clearFilters(params));
  const toPage = (wanted: number) => {
    setParams(changeFleetView(params, { page: wanted }));
    scroller.current?.scrollTo(0, 0);
  };

  const addThisMachine = (
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
      variant={noFleet ? 'default' : 'filled'}
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
            {addThisMachine}
            {addMany}
            {add}
          </>
        )
      }
    >
      <div className={classes['body']}>
        {!noFleet && (
          <div className={classes['filters']}>
            <FilterBar
              filter={filter}
              onChange={(change, typed) => setParams(changeFleetView(params, { filter: change }), { replace: typed })}
              onClear={clear}
            />
          </div>
        )}
        <div ref={scroller} className={classes['rows']}>
          <View
            query={query}
            name="devices"
            rows={16}
            isEmpty={(read) => read.rows.length === 0}
            empty={
              <div className={classes['nothing']}>
                {isPlaceholderData ? (
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
                    Start with the machine you are at: one command makes it a device. Or add one that stands elsewhere.
                  </Empty>
                )}
              </div>
            }
          >
            {(read) => <DeviceTable rows={read.rows} busy={isPlaceholderData} />}
          </View>
        </div>
        {bulkHere && selected > 0 && (
          <Suspense fallback={null}>
            <BulkBar shown={data?.rows.map(({ DeviceId }) => DeviceId)} />
          </Suspense>
        )}
        {data && data.rows.length > 0 && (
          <div className={classes['foot']}>
            <Pager
              page={page}
              rows={rows}
              shown={data.rows.length}
              total={data.total}
              more={data.more}
              busy={isPlaceholderData}
              onPage={toPage}
              onRows={(size) => setParams(changeFleetView(params, { rows: size }))}
            />
          </div>
        )}
      </div>
      {dialogsHere && dialog.name && (
        <Suspense fallback={null}>
          <DeviceDialogs dialog={dialog} />
        </Suspense>
      )}
    </Page>
  );
}
