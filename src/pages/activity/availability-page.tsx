// Availability: how long devices, sites and groups were Online, and how often they changed state.
import { useMemo } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Availability, ServiceGap } from '#/contract/history.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { useOffered } from '#/api/capabilities.ts';
import { historyQueries, readAvailability, type AvailabilityChoice } from '#/api/history.ts';
import { csvText } from '#/contract/csv.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { useLook } from '#/ui/controls/look.ts';
import { ActivityTabs } from '#/features/page-tabs/page-tabs.tsx';
import { datedName, saveFile } from '#/lib/save-file.ts';
import { paths } from '#/paths.ts';
import { counted, formatClockSeconds, formatCount, formatDuration, formatShare } from '#/lib/format.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { Page } from '#/ui/page/page.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { chosenFilter } from '#/ui/table/active-filters.tsx';
import { NextPage } from '#/ui/table/more-rows.tsx';
import { FilterBar } from '#/ui/table/filter-bar.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { oneOf, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { AvailabilityStrip } from './availability-strip.tsx';
import { ExportButton } from './export-button.tsx';
import classes from './availability.module.css';

const BY = [
  { value: 'device', label: 'Devices' },
  { value: 'site', label: 'Sites' },
  { value: 'group', label: 'Groups' },
] as const;
const PERIODS = [
  { value: '24', label: '24 h', words: 'last 24 hours' },
  { value: '168', label: '7 d', words: 'last 7 days' },
  { value: '720', label: '30 d', words: 'last 30 days' },
] as const;
const SORTS = [
  { value: 'worst', label: 'Worst' },
  { value: 'offline', label: 'Longest Offline' },
  { value: 'changes', label: 'Most changes' },
] as const;

const availabilityUrl = urlSchema({
  of: oneOf(['device', 'site', 'group'], 'device'),
  hours: oneOf(['24', '168', '720'], '24'),
  sort: oneOf(['worst', 'offline', 'changes'], 'worst'),
});
type AvailabilityView = typeof availabilityUrl.defaults;

const choiceOf = ({ of, hours, sort }: AvailabilityView): AvailabilityChoice => ({ by: of, hours, sort });

const CSV_COLUMNS = ['Key', 'Name', 'Devices', 'Changes', 'OnlineSeconds', 'OfflineSeconds', 'UnknownSeconds'] as const;

async function saveAvailability(view: AvailabilityView): Promise<void> {
  const rows = await readAvailability(choiceOf(view));
  saveFile(
    datedName(`availability-${view.of}`),
    csvText([CSV_COLUMNS, ...rows.map((row) => CSV_COLUMNS.map((column) => String(row[column])))]),
  );
}

export function AvailabilityPage() {
  const [view, url] = useUrlState(availabilityUrl);
  const isOffered = useOffered('history');
  const reading = useInfiniteQuery({ ...historyQueries.availability(choiceOf(view)), enabled: isOffered === true });
  const rows = useMemo(() => reading.data?.pages.flatMap(({ Items }) => Items) ?? [], [reading.data]);
  const [first] = reading.data?.pages ?? [];
  const { zone } = useLook();
  const asOf = first ? parseTimestamp(first.To) : undefined;
  return (
    <Page
      title="Availability"
      lead="How long devices were Online. Time when the service was down is not counted."
      actions={isOffered && <ExportButton what="The availability" save={() => saveAvailability(view)} />}
    >
      <ActivityTabs />
      {isOffered === false ? (
        <Empty title="This service keeps no state history">Its own portal or monitoring may have one.</Empty>
      ) : (
        <div className="stack">
          <FilterBar
            label="Availability"
            count={
              first
                ? `${counted(rows.length, 'row')}${reading.hasNextPage ? ' so far' : ''}${asOf ? `, as of ${formatClockSeconds(asOf, zone)}` : ''}`
                : ''
            }
            active={[
              ...chosenFilter('Period', view.hours === '24' ? '' : view.hours, PERIODS, () => url.set({ hours: '24' })),
              ...chosenFilter('First', view.sort === 'worst' ? '' : view.sort, SORTS, () => url.set({ sort: 'worst' })),
            ]}
            filters={
              <>
                <SegmentedControl
                  aria-label="Period"
                  value={view.hours}
                  data={PERIODS}
                  onChange={(hours) => url.set({ hours })}
                />
                <SegmentedControl
                  aria-label="First"
                  value={view.sort}
                  data={SORTS}
                  onChange={(sort) => url.set({ sort })}
                />
              </>
            }
          >
            <SegmentedControl aria-label="By" value={view.of} data={BY} onChange={(of) => url.set({ of })} />
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
                {first && (
                  <VirtualTable
                    name="Availability"
                    columns={columnsOf(view, { from: timeOf(first.From), to: timeOf(first.To) })}
                    rows={rows}
                    rowKey={keyOf}
                  />
                )}
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

/** The time for which there is no data: before the history begins, and while the service was down. */
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
        `The service was down ${counted(down.length, 'time')}, for ${formatDuration(length, 'rough')} in total.`}
    </p>
  );
}

const seconds = (value: number) => formatDuration(value * 1000, 'rough');

const keyOf = ({ Key }: Availability) => Key;

function columnsOf({ of, hours }: AvailabilityView, span: { from: number; to: number }): Column<Availability>[] {
  const hasMany = of !== 'device';
  const { words } = PERIODS.find(({ value }) => value === hours) ?? PERIODS[0];
  return [
    {
      header: of === 'device' ? 'Device' : of === 'site' ? 'Site' : 'Group',
      width: '24%',
      className: classes.name,
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
    {
      header: 'Online',
      align: 'end',
      width: '116px',
      phone: 'end',
      className: classes.share,
      cell: ({ OnlineSeconds, OfflineSeconds }) => {
        const known = OnlineSeconds + OfflineSeconds;
        return known > 0 ? formatShare(OnlineSeconds / known) : <span className="dim">Unknown</span>;
      },
    },
    {
      header: `States, ${words}`,
      phone: 'wide',
      className: classes.strip,
      cell: (row) => <AvailabilityStrip row={row} span={span} words={words} />,
    },
    {
      header: hasMany ? 'Total offline' : 'Offline',
      align: 'end',
      width: '120px',
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
      width: '92px',
      room: 'medium',
      phone: 'second',
      cell: ({ Changes }) => (
        <>
          {formatCount(Changes)} <span className="on-phone">{Changes === 1 ? 'change' : 'changes'}</span>
        </>
      ),
    },
    ...(hasMany
      ? [
          {
            header: 'Devices',
            align: 'end' as const,
            width: '92px',
            room: 'medium' as const,
            phone: 'second' as const,
            cell: ({ Devices }: Availability) => (
              <>
                {formatCount(Devices)} <span className="on-phone">{Devices === 1 ? 'device' : 'devices'}</span>
              </>
            ),
          },
        ]
      : []),
  ];
}
