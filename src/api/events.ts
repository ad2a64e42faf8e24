// The live connection of this page: passes the changes that the service reports to the queries and to the fleet. Loaded
// after the first paint.
import { pathOf } from './call.ts';
import { isOffered } from './capabilities.ts';
import { deviceFeed, shownDevices } from './device-feed.ts';
import { changeEndpoints } from '#/contract/changes.ts';
import { directAddress } from './direct.ts';
import { ChangeFollower } from './follow-changes.ts';
import { live } from './live.ts';
import { LiveConnection, type LiveMessage, type OpenedStream } from './live-connection.ts';
import { openStream } from './open-stream.ts';
import { queryClient } from './query-client.ts';
import { isUnreachable, lastResponseTime, onReach, reportAnswer, reportSilence, whenReachable } from './reach.ts';
import { currentSession, onSession, sessionEnded } from './session.ts';
import { currentAccount } from '#/lib/stored.ts';
import { createStore } from '#/lib/store.ts';

/** Whether a proxy buffers the event stream, so that everything is polled. */
export const heldBack = createStore(false);

async function open(since: string, signal: AbortSignal): Promise<OpenedStream> {
  if (!(await isOffered('live'))) return { status: 404, isEvents: false, chunks: () => textOf(new Response()) };
  const response = await openStream(pathOf(changeEndpoints.events, { query: { since } }), signal);
  return {
    status: response.status,
    isEvents: /^text\/event-stream\b/.test(response.headers.get('content-type') ?? ''),
    chunks: () => textOf(response),
  };
}

async function* textOf({ body }: Response): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return;
    yield value;
  }
}

/** Names the tabs of one account, which share a connection. A token in memory belongs to a single tab, which shares none. */
const nameOfTabs = () => `muster-live:${currentAccount.get()}`;
const locks = directAddress === undefined ? (navigator as { locks?: LockManager }).locks : undefined;

let started = false;

/** Starts following changes; further calls do nothing. */
export function startEvents(): void {
  if (started) return;
  started = true;
  const follower = new ChangeFollower(queryClient, deviceFeed);
  const channel = locks && new BroadcastChannel('muster-live');
  const connection = new LiveConnection({
    open,
    compete:
      locks &&
      ((lead, signal) => {
        locks.request(nameOfTabs(), { signal }, lead).catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
      }),
    post: (message) => channel?.postMessage({ tabs: nameOfTabs(), message }),
    isVisible: () => document.visibilityState === 'visible',
    lastResponseTime,
    setState: (state) => {
      live.set(state);
      if (state === 'lost') follower.pollEverything();
    },
    setHeldBack: heldBack.set,
    report: (change) =>
      follower.report(
        change,
        [...shownDevices].some((isShown) => isShown()),
      ),
    answered: reportAnswer,
    unanswered: reportSilence,
    whenReachable,
    signedOut: sessionEnded,
  });
  channel?.addEventListener('message', ({ data }: MessageEvent<{ tabs: string; message: LiveMessage }>) => {
    if (data.tabs === nameOfTabs()) connection.receive(data.message);
  });
  document.addEventListener('visibilitychange', () => connection.syncVisibility());
  onReach(() => isUnreachable() || connection.wake());
  onSession((event) => {
    connection.end();
    deviceFeed.forget();
    // The user may have signed in to another account.
    if (event === 'in') void currentSession().then(() => connection.syncVisibility());
  });
  connection.syncVisibility();
}
