// The links to all pages: a column beside the page, or on a phone a bar with the most used pages and a menu for the rest.
// index.html draws the same before any script has loaded.
import { Fragment, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import {
  IconActivity,
  IconChartDots3,
  IconCpu,
  IconLayoutDashboard,
  IconMap2,
  IconMenu2,
  IconMoon,
  IconPackage,
  IconPlugConnected,
  IconRocket,
  IconSearch,
  IconSettings,
  IconStairsUp,
  IconSun,
  IconX,
} from '@tabler/icons-react';
import { accountQueries } from '#/api/account.ts';
import { useCapabilities, useOffered } from '#/api/capabilities.ts';
import { polled } from '#/api/query.ts';
import { activityTabs } from '#/features/page-tabs/page-tabs.tsx';
import { formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { Meter } from '#/ui/controls/meter.tsx';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { NavLink } from '#/ui/url/link.tsx';
import { PersonMenu } from './person-menu.tsx';

const counts = () => import('./link-counts.tsx');
const WaitingDevices = lazyPart(counts, 'WaitingDevices');
const WaitingRollouts = lazyPart(counts, 'WaitingRollouts');
const FiringAlerts = lazyPart(counts, 'FiringAlerts');
const BulkIndicator = lazyPart(() => import('./bulk-indicator.tsx'), 'BulkIndicator');

/** `tabs`: pages reached by this page's tabs. `bar`: shown in the bar of a phone. */
const PAGES = [
  { to: paths.overview(), label: 'Overview', Icon: IconLayoutDashboard, bar: true },
  { to: paths.devices(), label: 'Devices', Icon: IconCpu, bar: true },
  { to: paths.map(), label: 'Map', Icon: IconMap2 },
  { to: paths.artifacts(), label: 'Artifacts', Icon: IconPackage, tabs: [paths.workflows()] },
  { to: paths.deploy(), label: 'Deploy', Icon: IconRocket, bar: true },
  {
    to: paths.jobs(),
    label: 'Jobs',
    Icon: IconChartDots3,
    bar: true,
    tabs: [paths.queues(), paths.archive()],
  },
  { to: paths.tunnels(), label: 'Tunnels', Icon: IconPlugConnected },
];
/** Left out where the service is known to have none. */
const ROLLOUTS = { to: paths.rollouts(), label: 'Rollouts', Icon: IconStairsUp, tabs: [paths.orders()] };
const ACTIVITY = { label: 'Activity', Icon: IconActivity, tabs: [paths.activity()] };
const BAR = PAGES.filter(({ bar }) => bar);

interface PageLinkProps {
  page: Pick<(typeof PAGES)[number], 'to' | 'label' | 'Icon' | 'bar' | 'tabs'>;
  className: string;
  onGo: () => void;
  children?: ReactNode;
}

function PageLink({ page: { to, label, Icon, bar, tabs = [] }, className, onGo, children }: PageLinkProps) {
  const { pathname } = useLocation();
  const isWithin = tabs.some((path) => pathname === path || pathname.startsWith(`${path}/`));
  return (
    <NavLink
      to={to}
      end={to === paths.overview()}
      className={className}
      data-bar={bar}
      data-within={isWithin || undefined}
      onClick={onGo}
    >
      <Icon size={18} stroke={1.6} aria-hidden />
      {label}
      {children}
    </NavLink>
  );
}

export function Navigation({ onGo }: { onGo: () => void }) {
  const [activity] = activityTabs(useCapabilities());
  const hasRollouts = useOffered('rollouts');
  const hasEnrolment = useOffered('enrolment');
  const hasAlerts = useOffered('alerts');
  return (
    <>
      <div className="frame-links stack">
        {PAGES.map((page) => (
          <Fragment key={page.to}>
            <PageLink page={page} className="frame-link row dim" onGo={onGo}>
              {page.label === 'Devices' && <WaitingDevices open={hasEnrolment === true && {}} isUrgent={false} />}
            </PageLink>
            {page.label === 'Jobs' && hasRollouts !== false && (
              <PageLink page={ROLLOUTS} className="frame-link row dim" onGo={onGo}>
                <WaitingRollouts open={hasRollouts === true && {}} isUrgent={false} />
              </PageLink>
            )}
          </Fragment>
        ))}
        {activity && (
          <PageLink page={{ ...ACTIVITY, to: activity.to }} className="frame-link row dim" onGo={onGo}>
            <FiringAlerts open={hasAlerts === true && {}} isUrgent={false} />
          </PageLink>
        )}
      </div>
      <div className="frame-foot stack">
        <BulkIndicator open={{ onGo }} isUrgent={false} />
        <Licence />
        <div className="frame-links stack">
          <PageLink
            page={{ to: paths.settings(), label: 'Settings', Icon: IconSettings }}
            className="frame-link row dim"
            onGo={onGo}
          />
          <div className="frame-foot-row">
            <PersonMenu onGo={onGo} />
            <SchemeSwitch />
          </div>
        </div>
      </div>
    </>
  );
}

interface PhoneBarProps {
  /** Whether the menu with the other pages is open. */
  open: boolean;
  onToggle: () => void;
  onGo: () => void;
  onFind: () => void;
}

export function PhoneBar({ open, onToggle, onGo, onFind }: PhoneBarProps) {
  const Toggle = open ? IconX : IconMenu2;
  return (
    <nav aria-label="Most used" className="frame-bar">
      {BAR.map((page) => (
        <PageLink key={page.to} page={page} className="frame-tab dim" onGo={onGo} />
      ))}
      <button type="button" className="frame-tab bare dim" onClick={onFind}>
        <IconSearch size={18} stroke={1.6} aria-hidden />
        Search
      </button>
      <button
        type="button"
        className="frame-tab bare dim"
        aria-expanded={open}
        aria-controls="navigation"
        onClick={onToggle}
      >
        <Toggle size={18} stroke={1.6} aria-hidden />
        More
      </button>
    </nav>
  );
}

/** Milliseconds between two readings of the account for the meter. */
const METER_POLL = 120_000;

/** The account's name, if it has one, and how much of the licence it uses. */
function Licence() {
  const { data } = useQuery(polled(accountQueries.get(), METER_POLL));
  if (!data) return null;
  return (
    <div className="stack">
      {/* Where one service has several accounts, this tells them apart. */}
      {data.Name && (
        <bdi className="truncate small" title={`Account: ${data.Name}`}>
          {data.Name}
        </bdi>
      )}
      <Meter label="Devices" used={data.NumDevicesAdded} limit={data.PlanMaxDeviceLimit} format={formatCount} />
    </div>
  );
}

/** Switches between light and dark; Settings also offers the system's setting. */
function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const other = scheme === 'light' ? 'dark' : 'light';
  return (
    <IconButton
      icon={scheme === 'light' ? IconMoon : IconSun}
      iconSize={18}
      label={`Switch to ${other}`}
      onClick={() => setColorScheme(other)}
    />
  );
}
