// The files this application is made of, as the host of the page has them now. Parts are fetched when they are first needed;
// one that does not come means that nobody is there, or that a newer build has taken the place of this one, whose files
// are gone.
import { ownPage } from '#/api/call.ts';
import { directAddress } from '#/api/direct.ts';
import { noteSilence } from '#/api/reach.ts';
import { createStore } from '#/lib/store.ts';
import { storedInTab } from '#/lib/stored.ts';

export type OwnBuild = 'unknown' | 'away' | 'same' | 'newer';

const ENTRY = /<script type="module"[^>]* src="([^"]+)"/;

const found = createStore<OwnBuild>('unknown');
let newest = '';
let looking: Promise<OwnBuild> | undefined;

export const ownBuild = found.get;
export const onOwnBuild = found.subscribe;

/** Looks now; whoever asks meanwhile gets the same answer. */
export function lookForBuild(): Promise<OwnBuild> {
  looking ??= look().then((next) => {
    looking = undefined;
    found.set(next);
    return next;
  });
  return looking;
}

async function look(): Promise<OwnBuild> {
  const running = document.querySelector('script[type="module"][src]')?.getAttribute('src') ?? '';
  try {
    // Anything that is not our page says nothing about it: a proxy's own words, a network that asks for a login.
    newest = ENTRY.exec(await ownPage())?.[1] ?? '';
  } catch {
    newest = '';
  }
  if (newest !== '') return newest === running ? 'same' : 'newer';
  // On a plain file host the API is somewhere else, and may well be there.
  if (directAddress === undefined) noteSilence();
  return 'away';
}

const reloadedFor = storedInTab('muster-reloaded-for', '', { read: (text) => text, print: (text) => text });

/**
 * Loads the page again, once for each build and path: nothing is done where that was tried, or where it would cost the
 * token that only this page holds.
 */
export function reloadOnce(): void {
  if (directAddress !== undefined) return;
  const note = `${newest} ${location.pathname}`;
  // Without the note it might go on for ever.
  if (reloadedFor.get() !== note && reloadedFor.set(note)) location.reload();
}

/** A style sheet that failed stays in the document, and would count as loaded when it is wanted again. */
export function forgetFailedSheet({ message }: Error): void {
  const [, href] = /Unable to preload CSS for (\S+)/.exec(message) ?? [];
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]'))
    if (link.href === href) link.remove();
}
