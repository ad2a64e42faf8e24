// Text from outside as a link, only where it really is the address of a web page: no javascript:, data: or file:, no
// words that merely look like an address.

/**
 * The address to link to, normalised, a Unicode host in punycode; undefined where the text is none that a browser should
 * open. One with user info is refused: `https://bank.example@evil.example` leads to the second host.
 */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text.trim());
  // URL.parse takes "http:example" for an address too.
  if (!url || !/^https?:\/\//i.test(text.trim()) || url.username || url.password) return undefined;
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
}

/** The text of a link: as it came, or normalised where it has other characters than an address is written with. */
export const addressText = (text: string): string => (/^[!-~]*$/.test(text) ? text : (webAddress(text) ?? text));
