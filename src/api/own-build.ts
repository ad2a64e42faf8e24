// Checks which build the page's host serves now. Chunks load when they are first needed; a missing one means that the host
// is unreachable, or that a newer build has replaced this one's files.
import { ownPage } from '#/api/call.ts';
import { directAddress } from '#/api/direct.ts';
import { reportSilence } from '#/api/reach.ts';
import { createStore } from '#/lib/store.ts';
import { storedInTab } from '#/lib/stored.ts';

export type OwnBuild = 'unknown' | 'away' | 'same' | 'newer';

const ENTRY = /<script type="module"[^>]* src="([^"]+)"/;

const found = createStore<OwnBuild>('unknown');
let newest = '';
let looking: Promise<OwnBuild> | undefined;

export const ownBuild = found.get;
export const onOwnBuild = found.subscribe;

/**
 * Checks now; concurrent callers share the result. After an answer of the service, a host that answers with another page says
 * nothing about the service: to doubt it again would ask both without end.
 */
export function checkBuild({ isAfterAnswer = false } = {}): Promise<OwnBuild> {
  looking ??= look(isAfterAnswer).then((next) => {
    looking = undefined;
    found.set(next);
    return next;
  });
  return looking;
}

async function look(isAfterAnswer: boolean): Promise<OwnBuild> {
  const running = document.querySelector('script[type="module"][src]')?.getAttribute('src') ?? '';
  try {
    // Anything but our page tells nothing: it may be a proxy's error or a network's login page.
    newest = ENTRY.exec(await ownPage())?.[1] ?? '';
  } catch {
    newest = '';
  }
  if (newest !== '') return newest === running ? 'same' : 'newer';
  // On a plain file host the API is elsewhere, and may well be reachable.
  if (directAddress === undefined && !isAfterAnswer) reportSilence();
  return 'away';
}

const reloadedFor = storedInTab('muster-reloaded-for', '', { read: (text) => text, print: (text) => text });

/**
 * Reloads the page, once per build and path. Does nothing if that was tried before, or if it would lose a token that only
 * this page holds in memory.
 */
export function reloadOnce(): void {
  if (directAddress !== undefined) return;
  const note = `${newest} ${location.pathname}`;
  // If the note cannot be stored, the page could reload forever.
  if (reloadedFor.get() !== note && reloadedFor.set(note)) location.reload();
}

/** Removes a failed style sheet from the document, where the next attempt would take it for loaded. */
export function forgetFailedSheet({ message }: Error): void {
  const [, href] = /Unable to preload CSS for (\S+)/.exec(message) ?? [];
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]'))
    if (link.href === href) link.remove();
}
