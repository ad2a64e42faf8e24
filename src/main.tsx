// Starts the dashboard: the only file with side effects. The router and all behind it are fetched only for a person who is
// signed in; until the first page is ready, the outline of index.html stays.
import '@fontsource-variable/inter/wght.css';
import '#/ui/tokens.css';
import '#/ui/base.css';
import './shell/frame.css';
import { StrictMode, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { currentSession } from '#/api/session.ts';
import { takeCode } from '#/pages/sign-in/link-code.ts';
import { paths } from '#/paths.ts';
import { Broken } from './shell/broken.tsx';

const container = document.getElementById('root');
if (!container) throw new Error('index.html has no element with the id "root"');
const root = createRoot(container);

const loadApp = () => import('#/routes.tsx');

async function show(screen: () => Promise<ReactElement>): Promise<void> {
  const shown = await screen().catch((error: unknown) => <Broken error={error} />);
  root.render(<StrictMode>{shown}</StrictMode>);
}

const app = async () => (await loadApp()).openApp();

const enter = (next: string) => {
  history.replaceState(null, '', next);
  void show(next === paths.signIn() ? signIn : app);
};

async function signIn(): Promise<ReactElement> {
  const { SignInPage } = await import('#/pages/sign-in/sign-in-page.tsx');
  const prepareApp = () =>
    void loadApp().then(
      ({ prepareShell }) => prepareShell(),
      () => {},
    ); // reported when it is needed
  return <SignInPage search={location.search} onSignedIn={enter} prepareApp={prepareApp} />;
}

const LINKS = { [paths.accept()]: 'accept', [paths.reset()]: 'reset' } as const;

async function link(kind: 'accept' | 'reset'): Promise<ReactElement> {
  const code = takeCode();
  const { LinkPage } = await import('#/pages/sign-in/link-page.tsx');
  return <LinkPage kind={kind} code={code} onSignedIn={enter} />;
}

/** Whether the sign-in page comes first. The service marks a page that was requested without a session. */
async function isSignedOut(): Promise<boolean> {
  const { pathname, search } = location;
  if (pathname === paths.signIn()) return true;
  if (document.documentElement.dataset['page'] !== 'sign-in') return false;
  // A link of another site brings no cookie, although there is one.
  const { SignedIn } = await currentSession();
  if (!SignedIn) history.replaceState(null, '', paths.signIn(pathname + search));
  return !SignedIn;
}

void show(async () => {
  const kind = LINKS[location.pathname];
  if (kind) return link(kind);
  return (await isSignedOut()) ? signIn() : app();
});
