// Availability: how long devices, sites and groups were Online, and how often that changed.
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Availability, ServiceGap } from '#/contract/history.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { useOffered } from '#/api/capabilities.ts';
import { historyQueries } from '#/api/history.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { useLook } from '#/ui/controls/look.ts';
import { ActivityTabs } from '#/features/page-tabs/page-tabs.tsx';
import { paths } from '#/paths.ts';
import { counted, formatClockSeconds, formatCount, formatDuration, formatShare } from '#/lib/format.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { Page } from '#/ui/page/page.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { NextPage } from '#/ui/table/more-rows.tsx';
import { FilterBar } from '#/ui/table/filter-bar.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import {
  BY,
  AVAILABLE_WITHIN,
  SORTS,
  availabilityUrl,
  availabilityChoice,
  saveAvailability,
  shareOf,
} from './availability-view.ts';
import { ExportButton } from './export-button.tsx';

const LEAD = 'How long devices were Online. Time in which the service was down does not count.';

export function AvailabilityPage() {
  const [view, url] = useUrlState(availabilityUrl);
  const choice = availabilityChoice(view);
  const isOffered = useOffered('history');
  const reading = useInfiniteQuery({ ...historyQueries.availability(choice), enabled: isOffered === true });
  const rows = reading.data?.pages.flatMap(({ Items }) => Items) ?? [];
  const [first] = reading.data?.pages ?? [];
  const { zone } = useLook();
  const asOf = first ? parseTimestamp(first.To) : undefined;
  return (
    <Page
      title="Availability"
      lead={LEAD}
      actions={isOffered && <ExportButton what="The availability" save={() => saveAvailability(view)} />}
    >
      <ActivityTabs />
      {isOffered === false ? (
        <Empty title="This service keeps no history of states">Its own portal, or its monitoring, may have one.</Empty>
      ) : (
        <div className="stack">
          <FilterBar
            label="Availability"
            count={
              first
                ? `${counted(rows.length, 'row')}${reading.hasNextPage ? ' so far' : ''}${asOf ? `, as of ${formatClockSeconds(asOf, zone)}` : ''}`
                : ''
            }
          >
            <SegmentedControl aria-label="By" value={view.of} data={BY} onChange={(of) => url.set({ of })} />
            <SegmentedControl
              aria-label="Period"
              value={view.hours}
              data={AVAILABLE_WITHIN}
              onChange={(hours) => url.set({ hours })}
            />
            <SegmentedControl
              aria-label="First"
              value={view.sort}
              data={SORTS}
              onChange={(sort) => url.set({ sort })}
            />
          </FilterBar>
          <View
            query={reading}
            name="the availability"
            isEmpty={() => rows.length === 0}
            empty={
              <Empty title="No devices yet" next={{ label: 'All devices', to: paths.devices(), variant: 'default' }} />
            }
          >
            {() => (
              <>
                {first && <Gaps from={first.From} gaps={first.Gaps} />}
                <VirtualTable name="Availability" columns={columnsOf(view.of)} rows={rows} rowKey={({ Key }) => Key} />
                <NextPage reading={reading} label="Show more" />
              </>
            )}
          </View>
        </div>
      )}
    </Page>
  );
}

const timeOf = (text: string) => parseTimestamp(text)?.getTime() ?? 0;

/** Of which time nothing is known. */
function Gaps({ from, gaps }: { from: string; gaps: readonly ServiceGap[] }) {
  const [first] = gaps;
  const begins = first && timeOf(first.From) <= timeOf(from) ? first : undefined;
  const down = gaps.filter((gap) => gap !== begins);
  const length = down.reduce((sum, { From, To }) => sum + timeOf(To) - timeOf(From), 0);
  if (!begins && down.length === 0) return null;
  return (
    <p className="small dim">
      {begins && (
        <>
          The history begins <Timestamp text={begins.To} />.{' '}
        </>
      )}
      {down.length > 0 &&
        `The service was down ${counted(down.length, 'time')}, for ${formatDuration(length, 'rough')} in all.`}
    </p>
  );
}

const seconds = (value: number) => formatDuration(value * 1000, 'rough');

function columnsOf(of: 'device' | 'site' | 'group'): Column<Availability>[] {
  const hasMany = of !== 'device';
  return [
    {
      header: of === 'device' ? 'Device' : of === 'site' ? 'Site' : 'Group',
      width: '34%',
      cell: ({ Key, Name }) =>
        of === 'device' ? (
          <Link to={paths.device(Key)} className={rowName}>
            <MiddleEllipsis text={Name || Key} />
          </Link>
        ) : Key ? (
          <Link to={paths.devices(of === 'site' ? { site: Key } : { group: Key })} className={rowName}>
            <MiddleEllipsis text={Name} />
          </Link>
        ) : (
          <span className="dim">No {of}</span>
        ),
    },
    ...(hasMany
      ? [
          {
            header: 'Devices',
            align: 'end' as const,
            phone: 'second' as const,
            cell: ({ Devices }: Availability) => formatCount(Devices),
          },
        ]
      : []),
    {
      header: 'Online',
      align: 'end',
      phone: 'end',
      cell: (row) => {
        const share = shareOf(row);
        return share === undefined ? <span className="dim">Unknown</span> : formatShare(share);
      },
    },
    {
      header: hasMany ? 'Offline, all together' : 'Offline',
      align: 'end',
      phone: 'second',
      cell: ({ OfflineSeconds }) => (
        <>
          {seconds(OfflineSeconds)} <span className="on-phone">Offline</span>
        </>
      ),
    },
    {
      header: 'Changes',
      align: 'end',
      phone: 'second',
      cell: ({ Changes }) => (
        <>
          {formatCount(Changes)} <span className="on-phone">{Changes === 1 ? 'change' : 'changes'}</span>
        </>
      ),
    },
  ];
}
