// Sign-in with a pasted API token, or with the code of the link printed when the service starts. It does without Mantine
// to load fast; the rest of the dashboard is fetched behind it.
import { useEffect, useRef, useState } from 'react';
import { currentSession, onSession, signIn, type Credential } from '#/api/session.ts';
import { signInRefusal } from '#/api/sign-in-words.ts';
import { expiryInWords, tokenExpiry } from '#/contract/token-expiry.ts';
import { directAddress } from '#/api/direct.ts';
import classes from './sign-in-page.module.css';

/** Where to go after sign-in: a path of this dashboard, never another host. */
function nextOf(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/';
  const url = URL.parse(next, location.origin);
  return next.startsWith('/') && url?.origin === location.origin ? url.pathname + url.search : '/';
}

/** The single-use code of a sign-in link. It is removed from the address bar before anything else happens. */
function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code) history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}

/** The credential in what was pasted: a token, or a sign-in link, of which only the code counts. */
function credentialOf(pasted: string): Credential {
  const code = /#(?:.*&)?code=([^&\s]+)/.exec(pasted)?.[1];
  return code === undefined ? { Token: pasted } : { Code: code };
}

/** The other service behind the gateway; undefined for our own. */
function useUpstream() {
  const [upstream, setUpstream] = useState<string>();
  useEffect(() => {
    let left = false;
    void currentSession().then(
      ({ Upstream }) => left || setUpstream(Upstream),
      () => {}, // Signing in will show what is wrong.
    );
    return () => {
      left = true;
    };
  }, []);
  return upstream;
}

/** Calls back once signed in: a sign-in in any tab signs in this one too. */
function useSignedIn(onSignedIn: () => void) {
  const latest = useRef(onSignedIn);
  useEffect(() => {
    latest.current = onSignedIn;
  });
  useEffect(
    () =>
      onSession((event) => {
        if (event === 'in') latest.current();
      }),
    [],
  );
}

/** Signs in once with the code of a link; calls `otherwise` if the page was opened without one. */
function useLinkCode(enter: (credential: Credential) => Promise<void>, otherwise: () => void) {
  const code = useRef<string | null | undefined>(undefined);
  useEffect(() => {
    document.title = 'Sign in · Muster';
    if (code.current !== undefined) return;
    code.current = takeCode();
    if (code.current) void enter({ Code: code.current });
    else otherwise();
  });
}

interface Progress {
  busy: boolean;
  failure?: { error: unknown; credential: Credential };
}

interface SignInProps {
  /** The query string of the page, which says where to go afterwards. */
  search: string;
  onSignedIn: (next: string) => void;
  /** Fetches the rest of the dashboard once this page is drawn. */
  prepareApp: () => void;
}

export function SignInPage({ search, onSignedIn, prepareApp }: SignInProps) {
  const upstream = useUpstream();
  const [token, setToken] = useState('');
  const [{ busy, failure }, setProgress] = useState<Progress>({ busy: false });
  // The service behind the gateway may become known only after it has refused.
  const refusal = failure && signInRefusal(failure.error, failure.credential, upstream);
  const input = useRef<HTMLInputElement>(null);
  const enter = async (credential: Credential) => {
    setProgress({ busy: true });
    try {
      await signIn(credential);
    } catch (error) {
      setProgress({ busy: false, failure: { error, credential } });
      input.current?.focus();
    }
  };
  useSignedIn(() => onSignedIn(nextOf(search)));
  useLinkCode(enter, prepareApp);
  return (
    <main className={classes.page}>
      <form
        className={classes.card}
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() && !busy) void enter(credentialOf(token.trim()));
        }}
      >
        <img src="/favicon.svg" alt="" width="40" height="40" />
        <h1>Sign in to Muster</h1>
        <p className="dim">Manage your device fleet.</p>
        {refusal && (
          <div role="alert" className={classes.refusal}>
            <strong>{refusal.title}</strong>
            {refusal.detail && <p>{refusal.detail}</p>}
          </div>
        )}
        <label htmlFor="token">API token</label>
        <input
          ref={input}
          id="token"
          type="password"
          autoComplete="current-password"
          spellCheck={false}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page has this one field
          autoFocus
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          aria-describedby="token-help"
          aria-invalid={refusal !== undefined}
        />
        <TokenHelp token={token.trim()} upstream={upstream} />
        <button type="submit" disabled={!token.trim() || busy}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}

/** Where to get a token, where it is stored, and when the typed one expires. */
function TokenHelp({ token, upstream }: { token: string; upstream: string | undefined }) {
  const [now] = useState(Date.now);
  const expires = tokenExpiry(token);
  const expiry = expires === undefined ? undefined : expiryInWords(expires, now);
  return (
    <>
      <p id="token-help" className={classes.help}>
        {upstream === undefined ? (
          <>
            It was printed when the service first started; <code>npm run token</code> makes another. A sign-in link
            works here, too.
          </>
        ) : (
          <>
            From the web portal of <code>{URL.parse(upstream)?.host ?? upstream}</code>, and sent to no other service.{' '}
            {directAddress === undefined
              ? 'Your browser does not store it: the gateway keeps it encrypted until you sign out.'
              : 'Only this page has it, until you close or reload it.'}
          </>
        )}
      </p>
      <p role="status" className={`status ${classes.help}`} data-warn={expiry?.warn}>
        {expiry?.text}
      </p>
    </>
  );
}
