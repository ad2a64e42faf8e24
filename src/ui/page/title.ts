// The title of the tab: the page's name, and before it how much has happened that nobody has seen yet.

let title = 'Muster';
let unseen = 0;
const write = () => {
  document.title = unseen > 0 ? `(${unseen}) ${title}` : title;
};

export function setTitle(page: string): void {
  title = `${page} · Muster`;
  write();
}

export function setUnseen(count: number): void {
  unseen = count;
  write();
}
