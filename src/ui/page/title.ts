// The title of the tab: the page's name, and before it how much has happened that nobody has seen yet.
import { visible } from '#/lib/glyphs.ts';
import { createStore } from '#/lib/store.ts';

/** Of the page, without what the tab adds. */
export const pageTitle = createStore('');

let title = 'Muster';
let unseen = 0;
const write = () => {
  document.title = unseen > 0 ? `(${unseen}) ${title}` : title;
};

/** `state`: of what the page shows, in words. */
export function setTitle(page: string, state?: string): void {
  title = [visible(page), ...(state ? [state] : []), 'Muster'].join(' · ');
  write();
  pageTitle.set(page);
}

export function setUnseen(count: number): void {
  unseen = count;
  write();
}
