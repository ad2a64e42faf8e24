// The sign-in page, also for the code of the link that the service prints when it starts. It does without Mantine to load
// fast; the rest of the dashboard is fetched behind it.
import { useEffect, useRef, useState } from 'react';
import { currentSession, onSession, signedIn, signIn, type DashboardSession } from '#/api/session.ts';
import { endedWords, providerRefusal, signInRefusal } from '#/api/sign-in-words.ts';
import { SignInForm } from '#/features/sign-in/sign-in-form.tsx';
import { Card, useSignedIn } from './card.tsx';
import { hasCode, takeCode } from './link-code.ts';
import { useSecondFactor } from './use-second-factor.tsx';

/** Where to go after sign-in: a path of this dashboard, never another host. */
function nextOf(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/';
  const url = URL.parse(next, location.origin);
  // A path that begins with two slashes, as from "/.//host", would be a host in a link.
  const isOurs = next.startsWith('/') && url?.origin === location.origin && !url.pathname.startsWith('//');
  return isOurs ? url.pathname + url.search : '/';
}

/** Whether the identity provider led back to a tab that was opened for the sake of another one, which waits. */
const isForAnotherTab = () => new URLSearchParams(location.search).get('for') === 'another-tab';

/** Milliseconds to wait for what the service offers. Without an answer, the form for tokens is shown. */
const PATIENCE = 1_500;

/** What the service offers; `isRead` once it is known, or does not come. */
function useOffer(onNeedsSetup: () => void) {
  const [offer, setOffer] = useState<{ session?: DashboardSession; isRead: boolean }>({ isRead: false });
  const latest = useRef(onNeedsSetup);
  useEffect(() => {
    latest.current = onNeedsSetup;
  });
  useEffect(() => {
    let left = false;
    const timer = setTimeout(() => setOffer((before) => ({ ...before, isRead: true })), PATIENCE);
    const read = () =>
      currentSession().then(
        (session) => {
          if (left) return;
          setOffer({ session, isRead: true });
          if (session.Needs === 'OtpSetup') latest.current();
          else if (session.SignedIn && isForAnotherTab()) signedIn();
        },
        () => left || setOffer({ isRead: true }), // Signing in will show what is wrong.
      );
    void read();
    const stop = onSession((event) => {
      if (event === 'out') void read();
    });
    return () => {
      left = true;
      clearTimeout(timer);
      stop();
    };
  }, []);
  return offer;
}

/** Signs in once with the code of a link, if the page was opened with one. */
function useLinkCode() {
  const code = useRef<string | null | undefined>(undefined);
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>(() => ({ busy: hasCode() }));
  useEffect(() => {
    document.title = 'Sign in · Muster';
    if (code.current !== undefined) return;
    code.current = takeCode();
    if (code.current) signIn({ Code: code.current }).catch((error: unknown) => setState({ busy: false, error }));
  }, []);
  return state;
}

interface SignInProps {
  /** The query string of the page, which says where to go afterwards. */
  search: string;
  onSignedIn: (next: string) => void;
  /** Fetches the rest of the dashboard once the form is drawn. */
  prepareApp: () => void;
}

export function SignInPage({ search, onSignedIn, prepareApp }: SignInProps) {
  const setup = useSecondFactor(() => {});
  const { session, isRead } = useOffer(setup.begin);
  const { busy, error } = useLinkCode();
  // On a slow line it would hold up what the form waits for.
  useEffect(() => {
    if (isRead && !busy) prepareApp();
  }, [isRead, busy, prepareApp]);
  useSignedIn(() => onSignedIn(nextOf(search)));
  const refusal =
    error === undefined
      ? (providerRefusal(new URLSearchParams(search).get('refused')) ?? (session && endedWords(session)))
      : signInRefusal(error, { Code: '' }, session?.Upstream);
  if (setup.card) return setup.card;
  return (
    <Card title="Sign in to Muster" text="Manage your device fleet.">
      {isRead && (
        <SignInForm
          session={session}
          next={nextOf(search)}
          refusal={refusal}
          isBusy={busy}
          onNeedsSetup={setup.begin}
        />
      )}
    </Card>
  );
}
