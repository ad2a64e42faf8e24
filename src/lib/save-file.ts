// Saves a file that was made in the browser.

/** `parts`: a long text comes in pieces, because strings have a maximum length. */
export function saveFile(name: string, parts: string | Blob | string[], type = 'text/csv;charset=utf-8'): void {
  const url = URL.createObjectURL(new Blob([parts].flat(), { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers start reading only later, and would find the URL already revoked.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** "devices-2026-11-02.csv", by the reader's local date. */
export function datedName(what: string, now: Date = new Date(), ending = 'csv'): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${what}-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.${ending}`;
}
