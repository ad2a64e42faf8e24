// Every URL and the page behind it, each loaded when it is first needed.
import type { ComponentType } from 'react';
import { createBrowserRouter, redirect, useLocation, useNavigate, useRouteError, type RouteObject } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { currentSession } from '#/api/session.ts';
import type { Capability } from '#/contract/account.ts';
import { Broken } from './shell/broken.tsx';
import { paths } from '#/paths.ts';

/** Only a signed-in person gets past here; the rest go to sign-in, or set up what the account requires, and come back. */
async function requireSession({ request }: { request: Request }) {
  const session = await currentSession();
  if (session.SignedIn && session.Needs === undefined) return null;
  const { pathname, search } = new URL(request.url);
  return redirect(paths.signIn(pathname + search));
}

/** How long a page waits for the answer that it shows, in milliseconds: with it, it is drawn once instead of twice. */
const PATIENCE = 60;

/** Starts reading what a page will show. A slow answer is not waited for, and signed out it would only be refused. */
const whenSignedIn =
  (prefetch: (search: URLSearchParams) => Promise<unknown>) =>
  async ({ request }: { request: Request }) => {
    const answer = currentSession().then(
      ({ SignedIn }) => SignedIn && prefetch(new URL(request.url).searchParams),
      () => {}, // requireSession reports it
    );
    await Promise.race([answer, new Promise((done) => setTimeout(done, PATIENCE))]);
    return null;
  };

const loadShell = () => import('./shell/shell.tsx');
/** Fetches the frame ahead; a failure is reported when it is needed. */
export const prepareShell = () => void loadShell().catch(() => {});

/** A page that is only there where the service offers it. */
const offeredPage = (path: string, title: string, needs: Capability, load: () => Promise<ComponentType>) => ({
  path,
  lazy: async () => {
    const [Page, { OfferedPage }] = await Promise.all([load(), import('./shell/offered-page.tsx')]);
    return {
      Component: () => (
        <OfferedPage needs={needs} title={title}>
          <Page />
        </OfferedPage>
      ),
    };
  },
});

const NOT_FOUND: RouteObject = {
  path: '*',
  lazy: async () => ({ Component: (await import('./shell/not-found-page.tsx')).NotFoundPage }),
};

/** The page that settings were on until there was one for each, with its dialogs. */
function redirectAccount({ request }: { request: Request }) {
  const { search, searchParams } = new URL(request.url);
  const pages = new Map(
    Object.entries<string>({
      make: paths.tokens(),
      revoke: paths.tokens(),
      'end-sessions': paths.sessions(),
      clear: paths.appearance(),
    }),
  );
  const page = pages.get(searchParams.get('dialog') ?? '');
  return redirect(page === undefined ? paths.settings() : page + search);
}

/** The details and rules of an artifact were dialogs of the list before it had a page. */
function redirectArtifact({ request }: { request: Request }) {
  const { searchParams } = new URL(request.url);
  const dialog = searchParams.get('dialog');
  const artifact = searchParams.get('artifact');
  if (artifact === null || (dialog !== 'details' && dialog !== 'rules')) return null;
  return redirect(dialog === 'details' ? paths.artifact(artifact) : paths.artifactRules(artifact));
}

/** The dialogs of alert channels were on the page of the alerts. */
function redirectChannels({ request }: { request: Request }) {
  const { searchParams } = new URL(request.url);
  const dialog = searchParams.get('dialog') ?? '';
  if (dialog !== 'channel' && dialog !== 'delete-channel') return null;
  const channel = searchParams.get('alert');
  return redirect(`${paths.channels()}?${new URLSearchParams({ dialog, ...(channel && { channel }) })}`);
}

function ShellError() {
  return <Broken error={useRouteError()} />;
}

const routes: RouteObject[] = [
  {
    path: '/sign-in',
    ErrorBoundary: ShellError,
    lazy: async () => {
      const { SignInPage } = await import('#/pages/sign-in/sign-in-page.tsx');
      return {
        Component: function SignIn() {
          const navigate = useNavigate();
          const enter = (next: string) => void navigate(next, { replace: true });
          return <SignInPage search={useLocation().search} onSignedIn={enter} prepareApp={prepareShell} />;
        },
      };
    },
  },
  {
    path: '/',
    loader: requireSession,
    // Being signed in does not change with the page; the session's own events tell when it ends.
    shouldRevalidate: () => false,
    lazy: async () => ({ Component: (await loadShell()).Shell }),
    ErrorBoundary: ShellError,
    children: [
      {
        // A page that breaks or does not come leaves the frame around it standing.
        lazy: async () => ({ ErrorBoundary: (await loadShell()).PageError }),
        children: [
          {
            index: true,
            lazy: async () => ({ Component: (await import('#/pages/overview/overview-page.tsx')).OverviewPage }),
          },
          {
            path: 'devices',
            lazy: async () => {
              const { DevicesPage, prefetchDevices } = await import('#/pages/devices/devices-page.tsx');
              return { Component: DevicesPage, loader: whenSignedIn(prefetchDevices) };
            },
            // From then on the page reads for itself.
            shouldRevalidate: () => false,
          },
          {
            path: 'devices/add-many',
            lazy: async () => ({ Component: (await import('./pages/add-many/add-many-page.tsx')).AddManyPage }),
          },
          offeredPage(
            'devices/enrolment',
            'Enrolment',
            'enrolment',
            async () => (await import('#/pages/enrolment/enrolment-page.tsx')).EnrolmentPage,
          ),
          {
            path: 'devices/:id',
            lazy: async () => ({ Component: (await import('./pages/device/device-detail-page.tsx')).DeviceDetailPage }),
          },
          { path: 'map', lazy: async () => ({ Component: (await import('#/pages/map/map-page.tsx')).MapPage }) },
          {
            path: 'artifacts',
            loader: redirectArtifact,
            lazy: async () => ({ Component: (await import('#/pages/artifacts/artifacts-page.tsx')).ArtifactsPage }),
          },
          {
            path: 'artifacts/:name',
            lazy: async () => ({ Component: (await import('#/pages/artifacts/artifact-page.tsx')).ArtifactPage }),
          },
          {
            path: 'deploy',
            lazy: async () => ({ Component: (await import('#/pages/deploy/deploy-page.tsx')).DeployPage }),
          },
          { path: 'jobs', lazy: async () => ({ Component: (await import('#/pages/jobs/jobs-page.tsx')).JobsPage }) },
          { path: 'jobs/:id', lazy: async () => ({ Component: (await import('./pages/job/job-page.tsx')).JobPage }) },
          offeredPage(
            'rollouts',
            'Rollouts',
            'rollouts',
            async () => (await import('#/pages/rollouts/rollouts-page.tsx')).RolloutsPage,
          ),
          offeredPage(
            'rollouts/orders',
            'Standing orders',
            'orders',
            async () => (await import('#/pages/orders/orders-page.tsx')).OrdersPage,
          ),
          offeredPage(
            'rollouts/:id',
            'Rollout',
            'rollouts',
            async () => (await import('#/pages/rollouts/rollout-page.tsx')).RolloutPage,
          ),
          offeredPage(
            'queues',
            'Queues',
            'queue',
            async () => (await import('#/pages/queues/queues-page.tsx')).QueuesPage,
          ),
          {
            path: 'archive',
            lazy: async () => ({ Component: (await import('#/pages/archive/archive-page.tsx')).ArchivePage }),
          },
          {
            path: 'bulk',
            lazy: async () => ({ Component: (await import('#/pages/bulk/bulk-list-page.tsx')).BulkListPage }),
          },
          {
            path: 'bulk/:id',
            lazy: async () => ({ Component: (await import('./pages/bulk/bulk-page.tsx')).BulkPage }),
          },
          {
            path: 'workflows',
            lazy: async () => ({ Component: (await import('#/pages/workflows/workflows-page.tsx')).WorkflowsPage }),
          },
          {
            path: 'tunnels',
            lazy: async () => ({ Component: (await import('#/pages/tunnels/tunnels-page.tsx')).TunnelsPage }),
          },
          {
            path: 'activity/availability',
            lazy: async () => ({
              Component: (await import('#/pages/activity/availability-page.tsx')).AvailabilityPage,
            }),
          },
          {
            path: 'activity/alerts',
            loader: redirectChannels,
            lazy: async () => ({ Component: (await import('#/pages/activity/alerts-page.tsx')).AlertsPage }),
          },
          {
            path: 'activity',
            lazy: async () => ({ Component: (await import('#/pages/activity/activity-page.tsx')).ActivityPage }),
          },
          {
            path: 'settings',
            lazy: async () => ({ Component: (await import('#/pages/settings/settings-frame.tsx')).SettingsFrame }),
            children: [
              {
                index: true,
                lazy: async () => ({ Component: (await import('#/pages/settings/first-settings.tsx')).FirstSettings }),
              },
              offeredPage(
                'people',
                'People',
                'people',
                async () => (await import('#/pages/settings/people/people-page.tsx')).PeoplePage,
              ),
              offeredPage(
                'people/:id',
                'Person',
                'people',
                async () => (await import('#/pages/settings/people/person-page.tsx')).PersonPage,
              ),
              offeredPage(
                'tokens',
                'Tokens',
                'tokens',
                async () => (await import('#/pages/settings/tokens-page.tsx')).TokensPage,
              ),
              offeredPage(
                'sessions',
                'Sessions',
                'sessions',
                async () => (await import('#/pages/settings/sessions-page.tsx')).SessionsPage,
              ),
              offeredPage(
                'channels',
                'Alert channels',
                'alerts',
                async () => (await import('#/pages/settings/channels/channels-page.tsx')).ChannelsPage,
              ),
              offeredPage(
                'sign-in',
                'Sign-in',
                'people',
                async () => (await import('#/pages/settings/sign-in/own-sign-in-page.tsx')).OwnSignInPage,
              ),
              {
                path: 'usage',
                lazy: async () => ({ Component: (await import('#/pages/settings/usage-page.tsx')).UsagePage }),
              },
              {
                path: 'appearance',
                lazy: async () => ({
                  Component: (await import('#/pages/settings/appearance-page.tsx')).AppearancePage,
                }),
              },
              NOT_FOUND,
            ],
          },
          { path: 'account', loader: redirectAccount },
          NOT_FOUND,
        ],
      },
    ],
  },
];

/** The router with its first page ready to be drawn. */
export async function openApp() {
  const router = createBrowserRouter(routes);
  await new Promise<void>((done) => {
    if (router.state.initialized) return done();
    const stop = router.subscribe(({ initialized }) => {
      if (!initialized) return;
      stop();
      done();
    });
  });
  // A page is drawn with its URL: as a transition it would come later, again and again while the fleet changes, and until then
  // a click would act on the page before.
  return <RouterProvider router={router} useTransitions={false} />;
}
