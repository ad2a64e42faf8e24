// Text from outside as a link, only where it really is the address of a web page: no javascript:, data: or file:, no
// words that merely look like an address.

/** The address to link to, normalised; undefined where the text is none that a browser should open. */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text.trim());
  // URL.parse takes "http:example" for an address too.
  if (!url || !/^https?:\/\//i.test(text.trim())) return undefined;
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
}
