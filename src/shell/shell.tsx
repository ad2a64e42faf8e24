// The frame around every page: navigation, licence use, appearance, and what happens when the session ends.
import { useEffect, useState } from 'react';
import { NavLink, Outlet, useLocation, useNavigation } from 'react-router';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { ActionIcon } from '@mantine/core';
import {
  IconChartDots3,
  IconCpu,
  IconHistory,
  IconLayoutDashboard,
  IconMap2,
  IconMenu2,
  IconPackage,
  IconPlugConnected,
  IconRocket,
  IconTerminal2,
  IconUserCircle,
  IconX,
} from '@tabler/icons-react';
import { accountQueries } from '#/api/account.ts';
import { queryClient } from '#/api/query-client.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { Meter } from '#/ui/controls/meter.tsx';
import { PageExtra } from '#/ui/page/page.tsx';
import { lazyDialog, lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { usePreload } from '#/ui/late/use-preload.ts';
import { UiProvider } from '#/ui/ui-provider.tsx';
import { AwayWatch } from './away-watch.tsx';
import { BuildWatch } from './build-watch.tsx';
import { DiskWatch } from './disk-watch.tsx';
import { PaletteButton, usePalette } from './palette-button.tsx';
import { SchemeSwitch } from './scheme-switch.tsx';
import { SessionWatch } from './session-watch.tsx';
import classes from './shell.module.css';

// Here with the frame, since it is wanted when nothing more can be fetched.
export { PageError } from './page-error.tsx';

/** What every page reads of the fleet goes into the history that the overview shows. */
const loadStateRecorder = async () => (await import('#/features/device-history/state-recorder.ts')).keepStates();
/** What the page at hand has read, as commands for curl. */
const PageRequestsDialog = lazyDialog(() => import('./page-requests-dialog.tsx'), 'PageRequestsDialog');
const JobNotices = lazyPart(() => import('./notices/job-notices.tsx'), 'JobNotices');

const NAVIGATION = [
  { to: paths.overview(), label: 'Overview', Icon: IconLayoutDashboard, end: true },
  { to: paths.devices(), label: 'Devices', Icon: IconCpu },
  { to: paths.map(), label: 'Map', Icon: IconMap2 },
  { to: paths.artifacts(), label: 'Artifacts', Icon: IconPackage },
  { to: paths.deploy(), label: 'Deploy', Icon: IconRocket },
  { to: paths.jobs(), label: 'Jobs', Icon: IconChartDots3, also: [paths.queues(), paths.archive()] },
  { to: paths.workflows(), label: 'Workflows', Icon: IconHistory },
  { to: paths.tunnels(), label: 'Tunnels', Icon: IconPlugConnected },
];

function Licence() {
  const { data } = useQuery(accountQueries.get());
  return data ? (
    <Meter label="Devices" used={data.NumDevicesAdded} limit={data.PlanMaxDeviceLimit} format={formatCount} />
  ) : null;
}

function Navigation({ onGo }: { onGo: () => void }) {
  const { pathname } = useLocation();
  return (
    <>
      <div className={classes.links}>
        {NAVIGATION.map(({ to, label, Icon, end = false, also = [] }) => (
          <NavLink
            key={to}
            to={to}
            end={end}
            className={classes.link!}
            data-within={also.some((path) => pathname.startsWith(path)) || undefined}
            onClick={onGo}
          >
            <Icon size={18} stroke={1.6} aria-hidden />
            {label}
          </NavLink>
        ))}
      </div>
      <div className={classes.foot}>
        <Licence />
        <div className={classes.footRow}>
          <NavLink to={paths.account()} className={classes.link!} onClick={onGo}>
            <IconUserCircle size={18} stroke={1.6} aria-hidden />
            Account
          </NavLink>
          <SchemeSwitch />
        </div>
      </div>
    </>
  );
}

/** Whether the menu of a narrow window is open; Escape closes it. */
function useMenu() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!open) return;
    const close = ({ key }: KeyboardEvent) => key === 'Escape' && setOpen(false);
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [open]);
  return [open, setOpen] as const;
}

/** Another page begins at its top. */
function useTopOfPage(): void {
  const { pathname } = useLocation();
  useEffect(() => {
    document.getElementById('main')?.scrollTo(0, 0);
  }, [pathname]);
}

function Frame() {
  const [open, setOpen] = useMenu();
  useTopOfPage();
  const navigation = useNavigation();
  usePreload(loadStateRecorder, false);
  const [areRequestsOpen, setRequestsOpen] = useState(false);
  const showRequests = () => setRequestsOpen(true);
  const palette = usePalette(showRequests);
  const Toggle = open ? IconX : IconMenu2;
  return (
    <div className={classes.shell}>
      <a href="#main" className={classes.skip}>
        Skip to the page
      </a>
      <div className={classes.progress} data-busy={navigation.state !== 'idle'} aria-hidden />
      <header className={classes.top}>
        <Brand />
        <PaletteButton onOpen={palette.open} />
        <button
          type="button"
          className={classes.burger}
          aria-expanded={open}
          aria-controls="navigation"
          aria-label={open ? 'Close the menu' : 'Open the menu'}
          onClick={() => setOpen(!open)}
        >
          <Toggle size={20} stroke={1.6} aria-hidden />
        </button>
      </header>
      <nav id="navigation" aria-label="Main" className={classes.side} data-open={open}>
        <div className={classes.sideBrand}>
          <Brand />
        </div>
        <PaletteButton words onOpen={palette.open} />
        <Navigation onGo={() => setOpen(false)} />
      </nav>
      <main id="main" tabIndex={-1} className={classes.main}>
        <PageExtra
          value={
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label="Show as curl"
              title="Show as curl"
              onClick={showRequests}
            >
              <IconTerminal2 size={18} stroke={1.6} aria-hidden />
            </ActionIcon>
          }
        >
          <Outlet />
        </PageExtra>
      </main>
      <AwayWatch />
      <BuildWatch />
      <DiskWatch />
      <JobNotices open={{}} isUrgent={false} />
      {palette.dialog}
      <PageRequestsDialog open={areRequestsOpen && { onClose: () => setRequestsOpen(false) }} />
      <SessionWatch />
    </div>
  );
}

function Brand() {
  return (
    <span className={classes.brand}>
      <img src="/favicon.svg" alt="" width="22" height="22" />
      Muster
    </span>
  );
}

export function Shell() {
  return (
    <QueryClientProvider client={queryClient}>
      <UiProvider>
        <Frame />
      </UiProvider>
    </QueryClientProvider>
  );
}
