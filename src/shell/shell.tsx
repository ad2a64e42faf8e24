// The frame around every page: navigation, licence use, appearance, and what happens when the session ends.
import { useEffect, useRef, useState } from 'react';
import { NavLink, Outlet, useLocation, useNavigation, Link, useNavigate } from 'react-router';
import { QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
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
  IconDatabaseExclamation,
  IconMoon,
  IconSun,
} from '@tabler/icons-react';
import { accountQueries } from '#/api/account.ts';
import { queryClient } from '#/api/query-client.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { Meter } from '#/ui/controls/meter.tsx';
import { PageExtra } from '#/ui/page/page.tsx';
import { lazyDialog, lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { usePreload } from '#/ui/late/use-preload.ts';
import { useEscape } from '#/ui/controls/use-key-down.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { UiProvider } from '#/ui/ui-provider.tsx';
import { AwayWatch } from './away-watch.tsx';
import { BuildWatch } from './build-watch.tsx';
import { PaletteButton, usePalette } from './palette-button.tsx';
import { onSession } from '#/api/session.ts';
import classes from './shell.module.css';

// Here with the frame, since it is wanted when nothing more can be fetched.
export { PageError } from './page-error.tsx';

/** What every page reads of the fleet goes into the history that the overview shows. */
const loadStateRecorder = async () => (await import('#/features/device-history/state-recorder.ts')).recordStates();
/** What the page at hand has read, as commands for curl. */
const PageRequestsDialog = lazyDialog(() => import('./page-requests-dialog.tsx'), 'PageRequestsDialog');
/** What runs in the service, shown a little after the page. */
const BulkIndicator = lazyPart(() => import('./bulk-indicator.tsx'), 'BulkIndicator');
/** Begins to follow what changes. */
const LiveWatch = lazyPart(() => import('./live-watch.tsx'), 'LiveWatch');
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
      <div className="frame-links stack">
        {NAVIGATION.map(({ to, label, Icon, end = false, also = [] }) => (
          <NavLink
            key={to}
            to={to}
            end={end}
            className="frame-link row dim"
            data-within={also.some((path) => pathname.startsWith(path)) || undefined}
            onClick={onGo}
          >
            <Icon size={18} stroke={1.6} aria-hidden />
            {label}
          </NavLink>
        ))}
      </div>
      <div className="frame-foot stack">
        <BulkIndicator open={{ onGo }} isUrgent={false} />
        <Licence />
        <div className="frame-foot-row">
          <NavLink to={paths.account()} className="frame-link row dim" onClick={onGo}>
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
  useEscape(() => setOpen(false));
  return [open, setOpen] as const;
}

function useTopOfPage(): void {
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    // Scrolling lays the page out: not for the first one, which is at its top.
    if (shown.current === pathname) return;
    shown.current = pathname;
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
    <div className="frame">
      <a href="#main" className={classes.skip}>
        Skip to content
      </a>
      <div className={classes.progress} data-busy={navigation.state !== 'idle'} aria-hidden />
      <header className="frame-top">
        <Brand />
        <PaletteButton onOpen={palette.open} />
        <button
          type="button"
          className="frame-burger bare"
          aria-expanded={open}
          aria-controls="navigation"
          aria-label={open ? 'Close the menu' : 'Open the menu'}
          onClick={() => setOpen(!open)}
        >
          <Toggle size={20} stroke={1.6} aria-hidden />
        </button>
      </header>
      <nav id="navigation" aria-label="Main" className="frame-side stack" data-open={open}>
        <Brand />
        <PaletteButton words onOpen={palette.open} />
        <Navigation onGo={() => setOpen(false)} />
      </nav>
      <main id="main" tabIndex={-1} className="frame-main">
        <PageExtra
          value={
            <IconButton icon={IconTerminal2} iconSize={18} size={36} label="Show as curl" onClick={showRequests} />
          }
        >
          <Outlet />
        </PageExtra>
      </main>
      <AwayWatch />
      <BuildWatch />
      <DiskWatch />
      <LiveWatch open={{}} isUrgent={false} />
      <JobNotices open={{}} isUrgent={false} />
      {palette.dialog}
      <PageRequestsDialog open={areRequestsOpen && { onClose: () => setRequestsOpen(false) }} />
      <SessionWatch />
    </div>
  );
}

function Brand() {
  return <span className="frame-brand inline">Muster</span>;
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

/** Shows on every page that the service's disk accepts only deletions, or nothing: each change would fail by itself. */
function DiskWatch() {
  const { data } = useQuery(accountQueries.get());
  const [hidden, setHidden] = useState<string>();
  const state = data?.DiskState;
  const shown = (state === 'Full' || state === 'ReadOnly') && hidden !== state;
  return (
    <div role="status" className={classes.away} data-shown={shown}>
      {shown && (
        <>
          <IconDatabaseExclamation size={18} stroke={1.6} aria-hidden />
          {state === 'Full' ? (
            <span>
              <strong>The service’s disk is full.</strong> Everything can be read. Delete{' '}
              <Link to={paths.jobs()}>jobs</Link> or <Link to={paths.artifacts()}>artifacts</Link> to make room.
            </span>
          ) : (
            <span>
              <strong>The service cannot write to its disk.</strong> You can read everything but change nothing until
              its operator fixes that.
            </span>
          )}
          <button type="button" onClick={() => setHidden(state)}>
            Hide
          </button>
        </>
      )}
    </div>
  );
}

/** Light or dark in one click; the account page offers "as the system" too. */
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

// Fetched before it is wanted: when it is, the service may be another version that no longer has this one's files.
const SignInAgain = lazyPart(() => import('./sign-in-again.tsx'), 'SignInAgain');

/**
 * The end of a session. After a 401 of the service a dialog asks for a token over the page, so that no input is lost. When
 * another tab signs out, this one leaves too and forgets what it has read.
 */
function SessionWatch() {
  const [ended, setEnded] = useState(false);
  const navigate = useNavigate();
  const client = useQueryClient();
  useEffect(
    () =>
      onSession((event) => {
        if (event === 'ended') return setEnded(true);
        if (event === 'in') {
          setEnded(false);
          return void client.invalidateQueries();
        }
        client.clear();
        return void navigate(paths.signIn());
      }),
    [client, navigate],
  );
  return <SignInAgain open={ended && { onLeave: () => void navigate(paths.signIn()) }} />;
}
