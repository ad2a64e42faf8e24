// Hands the reader a file that was made in the browser.

/** `parts`: the text in pieces, since one string cannot hold any length. */
export function saveFile(name: string, parts: string | Blob | string[], type = 'text/csv;charset=utf-8'): void {
  const url = URL.createObjectURL(new Blob([parts].flat(), { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Revoked in the same turn it would be gone before some browsers have begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** "devices-2026-11-02.csv", by the reader's own calendar. */
export function datedName(what: string, now: Date = new Date(), ending = 'csv'): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${what}-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.${ending}`;
}
