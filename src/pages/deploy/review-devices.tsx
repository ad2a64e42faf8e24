// The devices of a review in three ways: by name, by customer and site, on a map.
import { useMemo, useState } from 'react';
import { IconChevronRight } from '@tabler/icons-react';
import { useOffered } from '#/api/capabilities.ts';
import type { Device } from '#/contract/devices.ts';
import type { EarlierRuns } from '#/features/jobs/earlier-runs.ts';
import type { Queues } from '#/features/job-queue/queues.ts';
import { paths } from '#/paths.ts';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { devicesText, formatCount } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import type { DotLook } from '#/features/base-map/dot-map.tsx';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { Skeleton } from '#/ui/page/view.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { Link } from '#/ui/url/link.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { deployUrl } from './deploy-choice.ts';
import { siteText, sitesOf, type Site } from './sites.ts';
import classes from './deploy.module.css';

const DotMap = lazyPart(() => import('#/features/base-map/dot-map.tsx'), 'DotMap');

interface ReviewDevicesProps {
  devices: Device[];
  /** The number of each device's wave; undefined unless the deploy is in waves. */
  waves: ReadonlyMap<string, number> | undefined;
  queues: Queues | undefined;
  earlier: EarlierRuns | undefined;
}

export function ReviewDevices(props: ReviewDevicesProps) {
  const { devices } = props;
  const [{ view }, url] = useUrlState(deployUrl);
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label="View of the devices"
        className={classes.views}
        value={view}
        onChange={(next) => url.set({ view: next })}
        data={[
          { value: 'list', label: 'By name' },
          { value: 'sites', label: 'By site' },
          { value: 'map', label: 'Map' },
        ]}
      />
      {view === 'list' && <ByName {...props} />}
      {view === 'sites' && <BySite devices={devices} />}
      {view === 'map' && <ReachMap devices={devices} />}
    </>
  );
}

/** Online devices are filled dots; devices that will wait are drawn on top. */
function ReachMap({ devices }: { devices: readonly Device[] }) {
  const looks = useMemo(() => {
    const isOnline = ({ DeviceStatus }: Device) => DeviceStatus === 'Online';
    const [on, off] = [devices.filter(isOnline), devices.filter((device) => !isOnline(device))];
    return new Map<string, DotLook>([
      ...on.map(({ DeviceId }) => [DeviceId, { color: '--online', isFilled: true }] as const),
      ...off.map(({ DeviceId }) => [DeviceId, { color: '--offline', isFilled: false }] as const),
    ]);
  }, [devices]);
  const open = { name: 'Map of the target devices', looks, legend: 'Filled where online.' };
  return <DotMap open={open} fallback={<Skeleton name="the map" rows={5} />} />;
}

function DeviceLink({ device: { DeviceId, DeviceName } }: { device: Device }) {
  return (
    <Link to={paths.device(DeviceId)} className={rowName}>
      <MiddleEllipsis text={DeviceName || DeviceId} />
    </Link>
  );
}

function ByName({ devices, waves, queues, earlier }: ReviewDevicesProps) {
  const columns: Column<Device>[] = [
    { header: 'Name', width: waves ? '28%' : '40%', cell: (device) => <DeviceLink device={device} /> },
    { header: 'Status', cell: ({ DeviceStatus }) => <StateMark state={DeviceStatus} /> },
  ];
  if (waves)
    columns.push({
      header: 'Wave',
      align: 'end',
      width: '70px',
      cell: ({ DeviceId }) => waves.get(DeviceId) ?? '',
    });
  if (useOffered('queue') === true)
    columns.push({
      header: 'Ahead',
      align: 'end',
      width: '70px',
      phone: 'hide',
      cell: ({ DeviceId }) => (queues ? formatCount(queues.get(DeviceId)?.length ?? 0) : ''),
    });
  if (earlier)
    columns.push({
      header: 'Last run',
      phone: 'hide',
      cell: ({ DeviceId }) => {
        const last = earlier.get(DeviceId);
        return last ? <StateMark state={last} /> : <span className="dim">No</span>;
      },
    });
  return (
    <VirtualTable name="Target devices" bounded rows={devices} rowKey={({ DeviceId }) => DeviceId} columns={columns} />
  );
}

type SiteRow = { key: string; site: Site } | { key: string; device: Device; parent: string };

const siteOf = (row: SiteRow) => ('parent' in row ? row.parent : undefined);

function BySite({ devices }: { devices: Device[] }) {
  const sites = useMemo(() => sitesOf(devices), [devices]);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  if (!sites) return <p className="dim">This service does not report the customer or site of a device.</p>;
  const toggle = (key: string) => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };
  const rows = sites.flatMap((site): SiteRow[] => {
    const key = `site ${site.customer} / ${site.site}`;
    const inside = open.has(key) ? site.devices.map((device) => ({ key: device.DeviceId, device, parent: key })) : [];
    return [{ key, site }, ...inside];
  });
  const columns: Column<SiteRow>[] = [
    {
      header: 'Customer · site',
      width: '58%',
      cell: (row) =>
        'site' in row ? (
          <button
            type="button"
            className={classes.toggle}
            aria-expanded={open.has(row.key)}
            onClick={() => toggle(row.key)}
          >
            <IconChevronRight className="turns" size={16} stroke={1.6} aria-hidden />
            <span>{siteText(row.site)}</span>
          </button>
        ) : (
          <span className={classes.inside}>
            <DeviceLink device={row.device} />
          </span>
        ),
    },
    {
      header: 'Devices',
      align: 'end',
      cell: (row) =>
        'site' in row ? (
          <>
            {formatCount(row.site.devices.length)}
            {row.site.offline > 0 && <span className="dim"> · {formatCount(row.site.offline)} not online</span>}
          </>
        ) : (
          <StateMark state={row.device.DeviceStatus} />
        ),
    },
  ];
  return (
    <>
      <VirtualTable
        name="Devices by customer and site"
        bounded
        rows={rows}
        rowKey={({ key }) => key}
        parentOf={siteOf}
        columns={columns}
      />
      <p className="dim">
        {devicesText(devices.length)} at {sites.length === 1 ? 'one site' : `${formatCount(sites.length)} sites`}.
      </p>
    </>
  );
}
