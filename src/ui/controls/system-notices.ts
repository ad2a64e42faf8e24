// Desktop notifications, only after someone has switched them on and the browser has granted them.
import { visible } from '#/lib/glyphs.ts';
import { stored } from '#/lib/stored.ts';
import { useStore } from '#/ui/state/use-store.ts';

const wanted = stored('muster-system-notices', false, { read: (text) => text === 'on', print: () => 'on' });

/** Why this browser cannot show them; undefined if it can. */
export function noNotices(): string | undefined {
  if (!window.isSecureContext) return 'Notifications need HTTPS.';
  if (!('Notification' in window)) return 'This browser has no notifications.';
  if (Notification.permission === 'denied')
    return 'Notifications are blocked. Allow them for this site in the browser’s settings.';
  return undefined;
}

const areOn = () => noNotices() === undefined && Notification.permission === 'granted' && wanted.get();

export const useNoticesOn = (): boolean => useStore({ get: areOn, subscribe: wanted.subscribe });

/** Asks the browser for permission if need be, so call it only from a click. */
export async function switchNotices(on: boolean): Promise<void> {
  wanted.set(on && (await Notification.requestPermission()) === 'granted');
}

const MOST_SHOWN = 120;

/** One short line without hidden characters: names come from outside, and the system shows them raw. */
export const plain = (text: string): string => {
  const line = visible(text.replaceAll(/\s+/g, ' ').trim());
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN - 1).toWellFormed()}…` : line;
};

/** `tag`: a later notice with the same tag replaces an earlier one. */
export function showNotice(title: string, body: string, tag: string, onClick: () => void): void {
  if (!areOn()) return;
  try {
    const notice = new Notification(plain(title), { body: plain(body), tag, icon: '/icons/icon-192.png' });
    notice.addEventListener('click', () => {
      window.focus();
      notice.close();
      onClick();
    });
  } catch {
    // Chrome on Android allows them only in service workers; the badge and the page still show the news.
  }
}
