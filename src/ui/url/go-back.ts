// Back over an entry of the history that opening something made. Going twice would leave the page: two clicks can come
// before the first of them has gone anywhere.
import type { NavigateFunction } from 'react-router';

let isGoing = false;

export function goBackOnce(navigate: NavigateFunction): void {
  if (isGoing) return;
  isGoing = true;
  window.addEventListener('popstate', () => (isGoing = false), { once: true });
  void navigate(-1);
}
