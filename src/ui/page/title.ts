// The title of the tab: how many notices are unseen, and the name of the page.
import { visible } from '#/lib/glyphs.ts';
import { createStore } from '#/lib/store.ts';

/** The title of the page itself. */
export const pageTitle = createStore('');

let title = 'Muster';
let unseen = 0;
const write = () => {
  document.title = unseen > 0 ? `(${unseen}) ${title}` : title;
};

/** `state`: the state of the page's object, in words. */
export function setTitle(page: string, state?: string): void {
  title = [visible(page), ...(state ? [state] : []), 'Muster'].join(' · ');
  write();
  pageTitle.set(page);
}

export function setUnseen(count: number): void {
  unseen = count;
  write();
}
