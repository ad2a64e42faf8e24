// The single-use code of a link is in the fragment of its address, which browsers send nowhere.
const codeIn = (hash: string) => new URLSearchParams(hash.slice(1)).get('code') || null;

export const hasCode = (): boolean => codeIn(location.hash) !== null;

/** The code of the link that the page was opened by. It leaves the address bar before anything else happens. */
export function takeCode(): string | null {
  const code = codeIn(location.hash);
  if (code !== null) history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}
