// Turns text from outside into a link only if it is the address of a web page: no javascript:, data: or file:, and no
// words that merely look like an address.

/**
 * The address to link to, normalised, with a Unicode host in punycode; undefined if the browser should not open it. User
 * info is refused: `https://bank.example@evil.example` leads to the second host.
 */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text.trim());
  // URL.parse also accepts "http:example".
  if (!url || !/^https?:\/\//i.test(text.trim()) || url.username || url.password) return undefined;
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
}

/** The text of a link: unchanged if it is printable ASCII, else normalised. */
export const addressText = (text: string): string => (/^[!-~]*$/.test(text) ? text : (webAddress(text) ?? text));
