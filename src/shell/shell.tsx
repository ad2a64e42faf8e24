// The frame around every page: navigation, notices, and what happens when the session ends.
import { useEffect, useRef, useState } from 'react';
import { Outlet, useLocation, useNavigation, useNavigate } from 'react-router';
import { QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { IconTerminal2 } from '@tabler/icons-react';
import { queryClient } from '#/api/query-client.ts';
import { onSession } from '#/api/session.ts';
import { paths } from '#/paths.ts';
import { isFree } from '#/lib/free-key.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { useEscape, useKeyDown } from '#/ui/controls/use-key-down.ts';
import { LeaveBlocker } from '#/ui/dialog/leave-block.tsx';
import { focusPage, isFocusLost } from '#/ui/dialog/use-focus-back.ts';
import { lazyDialog, lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { PageExtra } from '#/ui/page/page.tsx';
import { pageTitle } from '#/ui/page/title.ts';
import { UiProvider } from '#/ui/ui-provider.tsx';
import { AwayWatch } from './away-watch.tsx';
import { BuildWatch } from './build-watch.tsx';
import { Navigation, PhoneBar } from './navigation.tsx';
import { PaletteButton, usePalette } from './palette-button.tsx';
import classes from './shell.module.css';

// Here with the frame, since it is wanted when nothing more can be fetched.
export { PageError } from './page-error.tsx';

/** What the page at hand has read, as commands for curl. */
const KeysDialog = lazyDialog(() => import('./keys-dialog.tsx'), 'KeysDialog');
const PageRequestsDialog = lazyDialog(() => import('./page-requests-dialog.tsx'), 'PageRequestsDialog');
const DiskWatch = lazyPart(() => import('./disk-watch.tsx'), 'DiskWatch');
/** Begins to follow what changes. */
const LiveWatch = lazyPart(() => import('./live-watch.tsx'), 'LiveWatch');
const JobNotices = lazyPart(() => import('./notices/job-notices.tsx'), 'JobNotices');

/** Whether the menu of a narrow window is open; Escape closes it. */
function useMenu() {
  const [open, setOpen] = useState(false);
  useEscape(() => setOpen(false));
  return [open, setOpen] as const;
}

/** A new page begins at its top. Where what was clicked went away with the page before, the focus goes to the new one. */
function useNewPage(): void {
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    // Scrolling lays the page out: not for the first one, which is at its top.
    if (shown.current === pathname) return;
    shown.current = pathname;
    document.getElementById('main')?.scrollTo(0, 0);
    if (isFocusLost()) focusPage();
  }, [pathname]);
}

/** Tells screen readers which page has come. The browser itself does so for the first one. */
function PageAnnouncer() {
  const { pathname } = useLocation();
  const first = useRef<string | undefined>(pathname);
  const [announced, setAnnounced] = useState('');
  useEffect(() => {
    if (pathname === first.current) return;
    first.current = undefined;
    const announce = () => setAnnounced(pageTitle.get());
    announce();
    return pageTitle.subscribe(announce);
  }, [pathname]);
  return (
    <div role="status" className="visually-hidden">
      {announced}
    </div>
  );
}

function Frame() {
  const [open, setOpen] = useMenu();
  useNewPage();
  const navigation = useNavigation();
  const [areRequestsOpen, setRequestsOpen] = useState(false);
  const showRequests = () => setRequestsOpen(true);
  const palette = usePalette(showRequests);
  const [areKeysOpen, setKeysOpen] = useState(false);
  useKeyDown((event) => {
    if (event.key !== '?' || !isFree(event)) return;
    event.preventDefault();
    setKeysOpen(true);
  });
  const close = () => setOpen(false);
  return (
    <div className="frame">
      <a href="#main" className={classes.skip}>
        Skip to content
      </a>
      <div className={classes.progress} data-busy={navigation.state !== 'idle'} aria-hidden />
      <header className="frame-top">
        <Brand />
        <PaletteButton onOpen={palette.open} />
      </header>
      <PhoneBar open={open} onToggle={() => setOpen(!open)} onGo={close} />
      <nav id="navigation" aria-label="Main" className="frame-side stack" data-open={open}>
        <Brand />
        <PaletteButton words onOpen={palette.open} />
        <Navigation onGo={close} />
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
      {/* Always there: screen readers read out what comes into it. */}
      <div role="status" aria-atomic="false" className="frame-notices">
        <AwayWatch />
        <BuildWatch />
        <DiskWatch open={{}} isUrgent={false} />
        <LiveWatch open={{}} isUrgent={false} />
      </div>
      <LeaveBlocker />
      <PageAnnouncer />
      <JobNotices open={{}} isUrgent={false} />
      {palette.dialog}
      <KeysDialog open={areKeysOpen && { onClose: () => setKeysOpen(false) }} />
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
