// The frame around every page: navigation, notices, and what happens when the session ends.
import { useEffect, useRef, useState } from 'react';
import { Outlet, useLocation, useNavigation, useNavigate } from 'react-router';
import { QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { IconTerminal2 } from '@tabler/icons-react';
import { groupsText, useOwnGroups, useWriteGate } from '#/api/people.ts';
import { queryClient } from '#/api/query-client.ts';
import { onSession } from '#/api/session.ts';
import { paths } from '#/paths.ts';
import { isFree } from '#/lib/free-key.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { useEscape, useKeyDown } from '#/ui/controls/use-key-down.ts';
import { LeaveBlocker, leaveUnasked } from '#/ui/dialog/leave-block.tsx';
import { WriteGate } from '#/ui/dialog/write-gate.ts';
import { focusPage, isFocusLost } from '#/ui/dialog/use-focus-back.ts';
import { lazyDialog, lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { PageExtra } from '#/ui/page/page.tsx';
import { ScopeNote } from '#/ui/page/scope-note.ts';
import { pageTitle } from '#/ui/page/title.ts';
import { UiProvider } from '#/ui/ui-provider.tsx';
import { AwayWatch } from './away-watch.tsx';
import { BuildWatch } from './build-watch.tsx';
import { Navigation, PhoneBar } from './navigation.tsx';
import { PaletteButton, usePalette } from './palette-button.tsx';
import { SkipLinks } from './skip-links.tsx';
import classes from './shell.module.css';

// Loaded with the frame: it is needed when nothing else can be loaded.
export { PageError } from './page-error.tsx';

const KeysDialog = lazyDialog(() => import('./keys-dialog.tsx'), 'KeysDialog');
const PageRequestsDialog = lazyDialog(() => import('./page-requests-dialog.tsx'), 'PageRequestsDialog');
const LiveWatch = lazyPart(() => import('./live-watch.tsx'), 'LiveWatch');
const JobNotices = lazyPart(() => import('./notices/job-notices.tsx'), 'JobNotices');

/** Scrolls a new page to its top, and focuses it if the focused element went away with the previous page. */
function useNewPage(): void {
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    // Not for the first page, which is at its top: scrolling would force a layout.
    if (shown.current === pathname) return;
    shown.current = pathname;
    document.getElementById('main')?.scrollTo(0, 0);
    if (isFocusLost()) focusPage();
  }, [pathname]);
}

/** Announces a new page to screen readers. The browser announces the first one. */
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
  // The menu of a narrow window.
  const [open, setOpen] = useState(false);
  useEscape(() => setOpen(false));
  useNewPage();
  const navigation = useNavigation();
  const [areRequestsOpen, setRequestsOpen] = useState(false);
  const mayWrite = useWriteGate();
  const groups = useOwnGroups();
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
      <SkipLinks />
      <div className={classes.progress} data-busy={navigation.state !== 'idle'} aria-hidden />
      <header className="frame-top">
        <Brand />
      </header>
      <PhoneBar open={open} onToggle={() => setOpen(!open)} onGo={close} onFind={palette.open} />
      <nav id="navigation" aria-label="Main" className="frame-side stack" data-open={open}>
        <Brand />
        <PaletteButton onOpen={palette.open} />
        <Navigation onGo={close} />
      </nav>
      <main id="main" tabIndex={-1} className="frame-main">
        <WriteGate value={mayWrite}>
          <ScopeNote value={groups && `Your role covers ${groupsText(groups)}.`}>
            <PageExtra
              value={
                <IconButton icon={IconTerminal2} iconSize={18} size={36} label="Show as curl" onClick={showRequests} />
              }
            >
              <Outlet />
            </PageExtra>
          </ScopeNote>
        </WriteGate>
      </main>
      {/* Always present, so that screen readers announce what appears in it. */}
      <div role="status" aria-atomic="false" className="frame-notices">
        <AwayWatch />
        <BuildWatch />
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

// Loaded before it is needed: by then an upgraded service may no longer have the files of this version.
const SignInAgain = lazyPart(() => import('./sign-in-again.tsx'), 'SignInAgain');

/**
 * Handles the end of a session. After a 401 a dialog asks for a token on top of the page, so that no input is lost. When
 * another tab signs out, this one clears its cache and goes to the sign-in page; so does every tab, and unsaved input is
 * lost, when the person was removed or disabled.
 */
function SessionWatch() {
  const [ended, setEnded] = useState(false);
  const navigate = useNavigate();
  const client = useQueryClient();
  useEffect(
    () =>
      onSession((event, isShutOut) => {
        if (event === 'ended') return setEnded(true);
        if (event === 'in') {
          setEnded(false);
          return void client.invalidateQueries();
        }
        client.clear();
        if (isShutOut) leaveUnasked();
        return void navigate(paths.signIn());
      }),
    [client, navigate],
  );
  return <SignInAgain open={ended && { onLeave: () => void navigate(paths.signIn()) }} />;
}
